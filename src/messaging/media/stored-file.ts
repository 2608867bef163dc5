// A stored file's way into the object store and out of it: encrypted, found, opened, and its faults told apart.
import type { Readable } from 'node:stream';
import { type Cipher, CipherError } from '../../base/cipher.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import {
  type FileEncryption,
  type FileKey,
  type FileOwner,
  fileKeyOf,
  fileKeyText,
  StoredFileError,
} from './file-encryption.ts';
import { findMedia, type MediaRow, type ReadyMedia } from './store.ts';

export interface StoredFileDeps {
  db: Db;
  log: Log;
  objects: ObjectStore;
  fileEncryption: FileEncryption;
  cipher: Cipher;
}

export function mediaNotFound(): AppError {
  return new AppError('media_not_found', 'There is no such media in this account.');
}

/** 507 for a store without room, 503 for one that cannot be reached, 500 for a file that was altered; anything else unchanged. */
export function storageError(error: unknown): unknown {
  if (error instanceof VendorError && error.code === 'storage_full') {
    return new AppError(
      'storage_full',
      'There is no room left for files, and nothing of this one was kept. Free or add space where OBJECT_STORE_URL leads; then upload it again.',
      { retryAfterSeconds: 30, cause: error },
    );
  }
  if (error instanceof VendorError) {
    return new AppError('storage_unavailable', 'Stored files cannot be reached at the moment. Try again.', {
      retryAfterSeconds: 5,
      cause: error,
    });
  }
  if (error instanceof StoredFileError) {
    return new AppError(
      'media_damaged',
      'The stored file was altered or lost, so it is not used. Upload it again.',
      { cause: error },
    );
  }
  return error;
}

/** Stores `clear` encrypted; `clear` is used up or destroyed, however it ends. */
export async function putEncrypted(
  deps: Pick<StoredFileDeps, 'objects' | 'fileEncryption'>,
  objectKey: string,
  clear: Readable,
  owner: FileOwner,
  key: FileKey,
): Promise<void> {
  const encrypted = deps.fileEncryption.encrypt(clear, owner, key);
  try {
    await deps.objects.put(objectKey, encrypted);
  } finally {
    // A store may fail without reading.
    encrypted.destroy();
  }
}

async function encryptedContent(deps: StoredFileDeps, row: MediaRow): Promise<Readable> {
  const encrypted = await deps.objects.get(row.object_key);
  if (encrypted) return encrypted;
  throw new StoredFileError('The stored file is not in the object store.');
}

const placeOf = (mediaId: string) => ({ table: 'media', column: 'file_key', row: mediaId });

/** A file's key, encrypted for its row. */
export function encryptFileKey(cipher: Cipher, mediaId: string, key: FileKey): Buffer {
  return cipher.encrypt(fileKeyText(key), placeOf(mediaId));
}

/** The key of a file in the clear; throws VaultError if it does not open: its own key is missing, or it was altered. */
function openFileKey(deps: Pick<StoredFileDeps, 'cipher'>, row: MediaRow): FileKey {
  try {
    return fileKeyOf(deps.cipher.open(row.file_key, placeOf(row.id)));
  } catch (error) {
    if (error instanceof CipherError) throw new StoredFileError(error.message, error);
    throw error;
  }
}

const ownerOf = (row: MediaRow) => ({ accountId: row.account_id, mediaId: row.id });

/** The clear bytes, each authenticated; throws or fails with VaultError, or the store's VendorError. */
export async function clearContent(deps: StoredFileDeps, row: MediaRow): Promise<Readable> {
  const key = openFileKey(deps, row);
  return deps.fileEncryption.open(await encryptedContent(deps, row), ownerOf(row), key);
}

/** True if the stored file is whole and unaltered; false if it is not, or is gone. Throws the store's VendorError. */
export async function isIntact(deps: StoredFileDeps, row: ReadyMedia): Promise<boolean> {
  try {
    await verifyContent(deps, row);
    return true;
  } catch (error) {
    if (error instanceof StoredFileError) return false;
    throw error;
  }
}

/** Reads all of a stored file and holds it against its length and digest; throws VaultError, or the store's VendorError. */
async function verifyContent(deps: StoredFileDeps, row: ReadyMedia): Promise<void> {
  const key = openFileKey(deps, row);
  await deps.fileEncryption.verify(await encryptedContent(deps, row), ownerOf(row), key, row);
}

/**
 * The file as its caller may download it: everything is read and held against length and digest once, so that an
 * altered file is refused (`media_damaged`) before its first byte goes out; then it is read again to be sent.
 */
export async function downloadMedia(
  deps: StoredFileDeps,
  of: { accountId: string; mediaId: string },
): Promise<{ row: ReadyMedia; content: Readable }> {
  const row = await findMedia(deps.db, of.accountId, of.mediaId);
  if (!row) throw mediaNotFound();
  try {
    await verifyContent(deps, row);
    return { row, content: await clearContent(deps, row) };
  } catch (error) {
    deps.log.error({ err: error, accountId: row.account_id, mediaId: row.public_id }, 'media.unreadable');
    throw storageError(error);
  }
}

/** A stored file on its way to the outside. */
export interface OutgoingFile {
  stream: Readable;
  size: number;
  mimeType: string;
  fileName: string;
}

/**
 * Has `send` send the clear bytes to the outside. Throws what `send` throws, or AppError if it is the stored file that
 * cannot be read: that breaks the call off too, and then the cause is the file and not the outside.
 */
export async function sendContent<T>(
  deps: StoredFileDeps,
  row: MediaRow,
  send: (file: OutgoingFile) => Promise<T>,
): Promise<T> {
  const stream = await clearContent(deps, row).catch((error: unknown) => {
    throw storageError(error);
  });
  let unreadable: Error | undefined;
  stream.once('error', (error) => {
    unreadable = error;
  });
  try {
    return await send({ stream, size: row.size ?? 0, mimeType: row.mime_type, fileName: row.file_name });
  } catch (error) {
    throw unreadable ? storageError(unreadable) : error;
  } finally {
    stream.destroy();
  }
}
