// Uploads that repeat an earlier one: under its Idempotency-Key, or with the same file within a day.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Db, Tx } from '../../db/db.ts';
import { findKey, insertKey, type KeyOf, rebindKey, recordKeyResponse } from '../../db/idempotency-keys.ts';
import { type Fingerprint, fingerprintOf, inProgress, keyReused, lookUpKey } from '../../http/idempotency.ts';
import { ok } from '../../http/reply.ts';
import {
  type FileIdentity,
  findDuplicateFile,
  lockFileIdentity,
  lockFileShared,
} from './duplicates-store.ts';
import { maxBytesOf } from './file-kind.ts';
import { receiveMaxMs, tooLarge, tooSlow, uploadInterrupted } from './meter.ts';
import { mediaItem } from './presenter.ts';
import { findMediaById, type MediaRow, type ReadyMedia } from './store.ts';
import { isIntact, type StoredFileDeps } from './stored-file.ts';

/** The result of an upload: a record, or the stored response of its key. */
export type Uploaded = { kind: 'record'; row: ReadyMedia } | ({ kind: 'replay' } & StoredResponse);

interface StoredResponse {
  status: number;
  body: string;
}

/** The key of an upload. `answered` is the response to an earlier upload; its fingerprint can be compared only at the end. */
export interface UploadKey extends KeyOf {
  keyedHash: KeyedHash;
  answered?: (StoredResponse & { fingerprint: Buffer; mediaId: string }) | undefined;
}

/**
 * Finds the key before the file is read. Throws 409 `idempotency_in_progress` while the first upload with the key is in
 * progress, also for another file.
 */
export async function findUploadKey(db: Db, of: KeyOf & { keyedHash: KeyedHash }): Promise<UploadKey> {
  const row = await findKey(db, of);
  if (!row) return of;
  const { status, body, fingerprint } = row;
  if (status !== null && body !== null)
    return { ...of, answered: { status, body, fingerprint, mediaId: row.subject_id } };
  if (row.leased) throw inProgress();
  return of;
}

/** What identifies a repeated upload: file name, declared type, named sender and bytes. */
export function uploadFingerprint(
  { keyedHash }: UploadKey,
  file: { fileName: string; declaredType: string; senderId?: string | undefined; sha256: Buffer },
): Fingerprint {
  return fingerprintOf(keyedHash, {
    fileName: file.fileName,
    declaredType: file.declaredType,
    senderId: file.senderId?.toLowerCase() ?? null,
    sha256: file.sha256.toString('hex'),
  });
}

/**
 * Returns the stored response if the file is the same as the first one. Its bytes are only hashed, up to the size of the
 * first one. Throws 422 `idempotency_key_reused` for any other file.
 */
export async function replayUpload(
  deps: { db: Db; clock: Clock },
  input: {
    accountId: string;
    content: Readable;
    declaredType: string;
    senderId?: string | undefined;
    afterContent: () => Promise<void>;
  },
  fileName: string,
  key: UploadKey,
): Promise<Uploaded> {
  const { answered } = key;
  if (!answered) throw inProgress();
  const first = await findMediaById(deps.db, input.accountId, answered.mediaId);
  const sha256 = await digestOf(deps.clock, input.content, first?.size ?? undefined);
  await input.afterContent();
  if (!uploadFingerprint(key, { ...input, fileName, sha256 }).isSameBody(answered.fingerprint))
    throw keyReused();
  return { kind: 'replay', status: answered.status, body: answered.body };
}

async function digestOf(clock: Clock, content: Readable, expectedSize: number | undefined): Promise<Buffer> {
  const hash = createHash('sha256');
  const startedMs = clock.steady();
  let size = 0;
  const chunks = (content as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  while (true) {
    const next = await chunks.next().catch((error: unknown) => {
      throw uploadInterrupted(error);
    });
    if (next.done) return hash.digest();
    size += next.value.length;
    if (expectedSize !== undefined && size > expectedSize) throw keyReused();
    if (size > maxBytesOf.document) throw tooLarge({ kind: 'document', maxBytes: maxBytesOf.document });
    if (clock.steady() - startedMs > receiveMaxMs) throw tooSlow();
    hash.update(next.value);
  }
}

/**
 * Stores the key of an upload in the transaction that records its bytes. Returns the stored response if another upload
 * with the key finished first. Throws 409 while that one is in progress, 422 if it was another file.
 */
export async function claimKey(
  tx: Tx,
  key: UploadKey,
  { fingerprint, isSameBody }: Fingerprint,
  subjectId: string,
  leaseSeconds: number,
): Promise<StoredResponse | undefined> {
  if (await insertKey(tx, { ...key, fingerprint, subjectId, leaseSeconds })) return undefined;
  const repeat = await lookUpKey(tx, { ...key, isSameBody, leaseSeconds });
  if (repeat.kind === 'answered') return { status: repeat.status, body: repeat.body };
  if (repeat.kind === 'first') throw inProgress();
  // The first upload with this key has lost its lease. If it continues after all, both become one record.
  await rebindKey(tx, key, subjectId);
  return undefined;
}

/** The body of the response to an upload. */
export function uploadBody(row: ReadyMedia): string {
  return JSON.stringify(ok('Media uploaded.', mediaItem(row)));
}

/** Stores the response for the keys of the upload `subjectId`, if it has any. */
export async function storeKeyResponse(tx: Tx, subjectId: string, row: ReadyMedia): Promise<void> {
  await recordKeyResponse(tx, subjectId, { status: 200, body: uploadBody(row) });
}

/** An earlier record of the same file, and whether its content is intact. */
export type Duplicate = { id: string; isIntact: boolean } | undefined;

/** Finds a record of the same file, at most a day old, and verifies its content. */
export async function findDuplicate(deps: StoredFileDeps, file: FileIdentity): Promise<Duplicate> {
  const row = await findDuplicateFile(deps.db, file, undefined);
  return row && { id: row.id, isIntact: await isIntact(deps, row) };
}

/** Locks that record against removal until `tx` ends; undefined if it was removed or is not intact. */
export async function lockDuplicate(tx: Tx, same: Duplicate): Promise<ReadyMedia | undefined> {
  return same?.isIntact ? lockFileShared(tx, same.id) : undefined;
}

/**
 * Finds the record of an upload of the same file that finished during this registration. A lock serializes concurrent
 * uploads, so the second finds the first.
 */
export async function findConcurrentDuplicate(
  tx: Tx,
  row: MediaRow,
  known: Duplicate,
): Promise<ReadyMedia | undefined> {
  if (row.sha256 === null) return undefined;
  const file = {
    accountId: row.account_id,
    sha256: row.sha256,
    fileName: row.file_name,
    mimeType: row.mime_type,
    senderId: row.named_sender_id ?? undefined,
  };
  await lockFileIdentity(tx, file);
  const duplicate = await findDuplicateFile(tx, file, known && !known.isIntact ? known.id : undefined);
  return duplicate && lockFileShared(tx, duplicate.id);
}
