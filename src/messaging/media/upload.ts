// Taking a file in: told apart by its first bytes, counted, digested and sealed as it comes, then registered.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { isUuid, uuidv7 } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { findSender, listCallers, type SenderRow } from '../senders/store.ts';
import {
  cleanFileName,
  createTextCheck,
  decideKind,
  type FileKind,
  headBytes,
  unsupported,
} from './file-kind.ts';
import { type RegisterDeps, registerLeaseSeconds, registerUpload, uploadLost } from './register.ts';
import { discard } from './remove.ts';
import {
  extendReceiving,
  findMediaById,
  insertReceiving,
  type MediaRow,
  markStored,
  type ReadyMedia,
} from './store.ts';
import { putSealed, sealFileKey, storageFault } from './stored-file.ts';
import { newFileKey } from './vault.ts';

export interface Upload {
  accountId: string;
  /** The number that registers the file if it is not away; default: the account's default one. */
  senderId?: string | undefined;
  fileName: string;
  /** The part's Content-Type. */
  declaredType: string;
  content: Readable;
  /** Awaited once `content` has ended; rejects if what came after it spoils the request. */
  afterContent: () => Promise<void>;
}

const leaseSeconds = 120;
const renewEveryMs = 30_000;
/** Longest that the bytes of one file may take to come. */
const receiveMaxMs = 15 * 60_000;

/**
 * Stores and registers one file (`api.md` part 5). 400 for an empty or unnamed one, 415 for an unlisted or contradicted
 * type, 413 as soon as it is over its kind's limit, 404 `sender_not_found`, 409 without a sender, 502 and 503 as the
 * platform answers. Whatever fails, and however early the bytes break off, nothing of the file remains.
 */
export async function upload(deps: RegisterDeps, input: Upload): Promise<ReadyMedia> {
  try {
    const fileName = cleanFileName(input.fileName);
    if (fileName === '') throw invalidRequest([{ path: 'file', message: 'needs a file name' }]);
    const { head, whole } = await readHead(input.content);
    if (head.length === 0) throw new AppError('media_empty', 'The file is empty. Upload one with content.');
    const kind = decideKind(head, input.declaredType, fileName);
    const senders = await registrars(deps.db, input);
    const row = await receive(deps, input, { fileName, kind, whole });
    return await registerUpload(deps, row, senders);
  } finally {
    input.content.destroy();
  }
}

/** The numbers that can register the file, the preferred one first. */
async function registrars(db: Db, { accountId, senderId }: Upload): Promise<SenderRow[]> {
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

/** The first bytes, and a stream of all of them. */
async function readHead(content: Readable): Promise<{ head: Buffer; whole: AsyncGenerator<Buffer> }> {
  const chunks = (content as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let [length, ended] = [0, false];
  while (length < headBytes && !ended) {
    const next = await chunks.next().catch((error: unknown) => {
      throw cutOff(error);
    });
    ended = next.done === true;
    if (next.done) break;
    first.push(next.value);
    length += next.value.length;
  }
  async function* whole(): AsyncGenerator<Buffer> {
    yield* first;
    while (!ended) {
      const next = await chunks.next();
      if (next.done) return;
      yield next.value;
    }
  }
  return { head: Buffer.concat(first).subarray(0, headBytes), whole: whole() };
}

function cutOff(cause: unknown): AppError {
  return new AppError('invalid_request', 'file: the upload ended before the file was complete', {
    errors: [{ path: 'file', message: 'the upload ended before the file was complete' }],
    cause,
  });
}

interface Described {
  fileName: string;
  kind: FileKind;
  whole: AsyncIterable<Buffer>;
}

/** Row first, then the sealed object, then both are said to be whole; or nothing remains of either. */
async function receive(deps: RegisterDeps, input: Upload, file: Described): Promise<MediaRow> {
  const id = uuidv7(deps.clock.now());
  const owner = { accountId: input.accountId, mediaId: id };
  const objectKey = `media/${input.accountId}/${id}`;
  const { kind, mimeType } = file.kind;
  const key = newFileKey();
  await insertReceiving(
    deps.db,
    {
      ...{ id, accountId: input.accountId, kind, mimeType, fileName: file.fileName, objectKey },
      fileKey: sealFileKey(deps.cipher, id, key),
    },
    leaseSeconds,
  );
  const meter = openMeter(deps.clock, file, () => extendReceiving(deps.db, id, leaseSeconds));
  try {
    const clear = Readable.from(meter.bytes(), { objectMode: false });
    await putSealed(deps, objectKey, clear, owner, key);
    await input.afterContent();
    const { size, sha256 } = meter.digest();
    const stored = await markStored(deps.db, { id, size, sha256, leaseSeconds: registerLeaseSeconds(size) });
    if (!stored) throw uploadLost();
    return stored;
  } catch (error) {
    const row = await findMediaById(deps.db, input.accountId, id).catch(() => undefined);
    if (row) await discard(deps, row);
    else await deps.objects.delete(objectKey).catch(() => {});
    throw meter.refusal() ?? storageFault(error);
  }
}

interface Meter {
  bytes(): AsyncGenerator<Buffer>;
  /** What the meter itself refused the file for. */
  refusal(): AppError | undefined;
  digest(): { size: number; sha256: Buffer };
}

/** Counts, checks and digests the bytes that pass, and keeps the upload's lease alive meanwhile. */
function openMeter(clock: Clock, file: Described, renew: () => Promise<boolean>): Meter {
  const hash = createHash('sha256');
  const text = file.kind.family === 'text' ? createTextCheck() : undefined;
  const startedMs = clock.steady();
  let [size, renewedMs] = [0, startedMs];
  let refusal: AppError | undefined;

  async function pass(chunk: Buffer): Promise<void> {
    size += chunk.length;
    if (size > file.kind.maxBytes) throw tooLarge(file.kind);
    if (text && !text.isTextSoFar(chunk)) throw notText();
    hash.update(chunk);
    const nowMs = clock.steady();
    if (nowMs - startedMs > receiveMaxMs) throw tooSlow();
    if (nowMs - renewedMs > renewEveryMs) {
      if (!(await renew())) throw uploadLost();
      renewedMs = nowMs;
    }
  }

  return {
    async *bytes() {
      try {
        for await (const chunk of file.whole) {
          await pass(chunk);
          yield chunk;
        }
        if (text && !text.isTextAtEnd()) throw notText();
      } catch (error) {
        refusal = error instanceof AppError ? error : cutOff(error);
        throw refusal;
      }
    },
    refusal: () => refusal,
    digest: () => ({ size, sha256: hash.digest() }),
  };
}

const notText = () => unsupported('it is declared as text/plain, but its content is not UTF-8 text');

/** 413 with the limit of that kind. */
export function tooLarge({ kind, maxBytes }: Pick<FileKind, 'kind' | 'maxBytes'>): AppError {
  const article = kind === 'image' ? 'An' : 'A';
  return new AppError(
    'media_too_large',
    `${article} ${kind} may have ${maxBytes / 1_048_576} MB (${maxBytes} bytes) at most.`,
  );
}

function tooSlow(): AppError {
  return new AppError('upload_timeout', 'The file took longer than 15 minutes to arrive. Upload it again.');
}
