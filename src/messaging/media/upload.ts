// The upload of a file: detects its kind, encrypts and stores it as it arrives, then registers it.
import type { Readable } from 'node:stream';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { isUuid, uuidv7 } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { findSender, listCallers, type SenderRow } from '../senders/store.ts';
import {
  claimKey,
  type Duplicate,
  findDuplicate,
  lockDuplicate,
  replayUpload,
  storeKeyResponse,
  type Uploaded,
  type UploadKey,
  uploadFingerprint,
} from './duplicates.ts';
import { newFileKey } from './file-encryption.ts';
import { cleanFileName, decideKind, type FileKind, headBytes } from './file-kind.ts';
import { openMeter, uploadInterrupted, uploadLost } from './meter.ts';
import { readHead } from './read-head.ts';
import { type RegisterDeps, registerLeaseSeconds, registerUpload } from './register.ts';
import { discard } from './remove.ts';
import { extendReceiving, findMediaById, insertReceiving, type MediaRow, markStored } from './store.ts';
import { encryptFileKey, putEncrypted, storageError } from './stored-file.ts';

export interface Upload {
  accountId: string;
  /** The sender that registers the file if available; default: the account's default sender. */
  senderId?: string | undefined;
  fileName: string;
  /** The part's Content-Type. */
  declaredType: string;
  content: Readable;
  /** The request's Idempotency-Key, as `findUploadKey` found it. */
  key?: UploadKey | undefined;
  /** Called after the end of `content`; rejects if the rest of the request is invalid. */
  afterContent: () => Promise<void>;
}

const leaseSeconds = 120;

/**
 * Stores and registers one file. Throws 400 if it is empty or has no name, 415 for an unsupported or contradicted type,
 * 413 over the limit of its kind, 404 `sender_not_found`, 409 without a sender, and 502 or 503 for the platform. Nothing
 * of a failed or interrupted upload remains.
 *
 * The same bytes with the same name, type and sender are one record within a day: the existing record is returned. A
 * repeat with an Idempotency-Key returns the stored response; `findUploadKey` and `claimKey` throw 409 and 422.
 */
export async function upload(deps: RegisterDeps, input: Upload): Promise<Uploaded> {
  try {
    const fileName = cleanFileName(input.fileName);
    if (fileName === '') throw invalidRequest([{ path: 'file', message: 'must have a file name' }]);
    if (input.key?.answered) return await replayUpload(deps, input, fileName, input.key);
    const { head, whole } = await readHead(input.content, headBytes).catch((error: unknown) => {
      throw uploadInterrupted(error);
    });
    if (head.length === 0) throw new AppError('media_empty', 'The file is empty. Upload one with content.');
    const kind = decideKind(head, input.declaredType, fileName);
    const senders = await registeringSenders(deps.db, input);
    const received = await receive(deps, input, { fileName, kind, whole });
    if (received.kind !== 'stored') return received;
    const { row, same } = received;
    return { kind: 'record', row: await registerUpload(deps, row, senders, same) };
  } finally {
    input.content.destroy();
  }
}

/** The senders that can register the file, the preferred one first. */
async function registeringSenders(db: Db, { accountId, senderId }: Upload): Promise<SenderRow[]> {
  const named =
    senderId === undefined || !isUuid(senderId) ? undefined : await findSender(db, accountId, senderId);
  if (senderId !== undefined && !named)
    throw new AppError('sender_not_found', 'There is no such sender in this account.');
  const senders = await listCallers(db, accountId, { firstId: named?.id });
  if (senders.length > 0) return senders;
  throw new AppError(
    'sender_not_configured',
    'The account has no sender to register media with. Add one with POST /v1/senders.',
  );
}

interface Described {
  fileName: string;
  kind: FileKind;
  whole: AsyncIterable<Buffer>;
}

type Received = Uploaded | { kind: 'stored'; row: MediaRow; same: Duplicate };

/**
 * Writes the row, then the encrypted object, then marks both as complete; removes both on failure. It also removes them
 * and returns the earlier result if the account already has the file, or the key got its response concurrently.
 */
async function receive(deps: RegisterDeps, input: Upload, file: Described): Promise<Received> {
  const id = uuidv7(deps.clock.now());
  const owner = { accountId: input.accountId, mediaId: id };
  const objectKey = `media/${input.accountId}/${id}`;
  const { kind, mimeType } = file.kind;
  const key = newFileKey();
  await insertReceiving(
    deps.db,
    {
      ...{ id, accountId: input.accountId, kind, mimeType, fileName: file.fileName, objectKey },
      fileKey: encryptFileKey(deps.cipher, id, key),
      namedSenderId: input.senderId?.toLowerCase() ?? null,
    },
    leaseSeconds,
  );
  const meter = openMeter(deps.clock, file, () => extendReceiving(deps.db, id, leaseSeconds));
  try {
    await putEncrypted(deps, objectKey, meter.bytes(), owner, key);
    await input.afterContent();
    const received = await store(deps, input, { id, fileName: file.fileName, mimeType, ...meter.digest() });
    if (received.kind !== 'stored') await discardById(deps, input.accountId, id);
    return received;
  } catch (error) {
    if (!(await discardById(deps, input.accountId, id))) await deps.objects.delete(objectKey).catch(() => {});
    throw meter.rejection() ?? storageError(error);
  }
}

/** Returns false if the row cannot be found or read: the worker removes it after its lease. */
async function discardById(deps: RegisterDeps, accountId: string, id: string): Promise<boolean> {
  const row = await findMediaById(deps.db, accountId, id).catch(() => undefined);
  if (row) await discard(deps, row);
  return row !== undefined;
}

/** Records the stored bytes with the request's key; or returns the earlier result that this upload repeats. */
async function store(
  deps: RegisterDeps,
  input: Upload,
  file: { id: string; fileName: string; mimeType: string; size: number; sha256: Buffer },
): Promise<Received> {
  const { id, size, sha256 } = file;
  const leaseSeconds = registerLeaseSeconds(size);
  const same = await findDuplicate(deps, { ...file, accountId: input.accountId, senderId: input.senderId });
  return deps.db.transaction().execute(async (tx): Promise<Received> => {
    const answered =
      input.key &&
      (await claimKey(tx, input.key, uploadFingerprint(input.key, { ...input, ...file }), id, leaseSeconds));
    if (answered) return { kind: 'replay', ...answered };
    const held = await lockDuplicate(tx, same);
    if (held) {
      await storeKeyResponse(tx, id, held);
      return { kind: 'record', row: held };
    }
    const row = await markStored(tx, { id, size, sha256, leaseSeconds });
    if (!row) throw uploadLost();
    return { kind: 'stored', row, same };
  });
}
