// Stored files: encrypted writing and reading, and their errors.
import type { Readable } from 'node:stream';
import { type Cipher, CipherError } from '../../base/cipher.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { FileToUpload } from '../../ports/platform.ts';
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

/** The 404 of a file. */
export function mediaNotFound(): AppError {
  return new AppError('media_not_found', 'There is no such media file in this account.');
}

/** 507 for a full store, 503 for an unreachable one, 500 for an altered file; any other error unchanged. */
export function storageError(error: unknown): unknown {
  if (error instanceof VendorError && error.code === 'storage_full') {
    return new AppError(
      'storage_full',
      'The object store is full; the file was not stored. Free or add space at OBJECT_STORE_URL, then upload the file again.',
      { retryAfterSeconds: 30, cause: error },
    );
  }
  if (error instanceof VendorError) {
    return new AppError(
      'storage_unavailable',
      'The object store cannot be reached at the moment. Try again.',
      {
        retryAfterSeconds: 5,
        cause: error,
      },
    );
  }
  if (error instanceof StoredFileError) {
    return new AppError(
      'media_damaged',
      'The stored file was altered or lost and cannot be used. Upload it again.',
      { cause: error },
    );
  }
  return error;
}

/** Encrypts and stores `clear`. The caller ends it if the store fails. */
export async function putEncrypted(
  deps: Pick<StoredFileDeps, 'objects' | 'fileEncryption'>,
  objectKey: string,
  clear: AsyncIterable<Buffer>,
  owner: FileOwner,
  key: FileKey,
): Promise<void> {
  await deps.objects.put(objectKey, deps.fileEncryption.encrypt(clear, owner, key));
}

async function encryptedContent(deps: StoredFileDeps, row: MediaRow): Promise<Readable> {
  const encrypted = await deps.objects.get(row.object_key);
  if (encrypted) return encrypted;
  throw new StoredFileError('The file is missing from the object store.');
}

const placeOf = (mediaId: string) => ({ table: 'media', column: 'file_key', row: mediaId });

/** A file's key, encrypted for its row. */
export function encryptFileKey(cipher: Cipher, mediaId: string, key: FileKey): Buffer {
  return cipher.encrypt(fileKeyText(key), placeOf(mediaId));
}

/** Decrypts the key of a file. Throws StoredFileError if its encryption key is missing or it was altered. */
function openFileKey(deps: Pick<StoredFileDeps, 'cipher'>, row: MediaRow): FileKey {
  try {
    return fileKeyOf(deps.cipher.decrypt(row.file_key, placeOf(row.id)));
  } catch (error) {
    if (error instanceof CipherError) throw new StoredFileError(error.message, error);
    throw error;
  }
}

const ownerOf = (row: MediaRow) => ({ accountId: row.account_id, mediaId: row.id });

/** The authenticated clear bytes. Throws or fails with StoredFileError, or the store's VendorError. */
async function clearContent(deps: StoredFileDeps, row: MediaRow): Promise<Readable> {
  const key = openFileKey(deps, row);
  return deps.fileEncryption.open(await encryptedContent(deps, row), ownerOf(row), key);
}

/** True if the stored file is complete and unaltered. Throws the store's VendorError. */
export async function isIntact(deps: StoredFileDeps, row: ReadyMedia): Promise<boolean> {
  try {
    await verifyContent(deps, row);
    return true;
  } catch (error) {
    if (error instanceof StoredFileError) return false;
    throw error;
  }
}

/** Reads a stored file and compares its length and digest. Throws StoredFileError, or the store's VendorError. */
async function verifyContent(deps: StoredFileDeps, row: ReadyMedia): Promise<void> {
  const key = openFileKey(deps, row);
  await deps.fileEncryption.verify(await encryptedContent(deps, row), ownerOf(row), key, row);
}

/**
 * Opens the file for a download. It is read twice: once to verify length and digest, so that an altered file is rejected
 * (`media_damaged`) before its first byte is sent, and once to send it.
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

/**
 * Passes the clear bytes to `send`. Throws what `send` throws, or AppError if the stored file cannot be read: that
 * interrupts the call as well, and then the file is the cause.
 */
export async function sendContent<T>(
  deps: StoredFileDeps,
  row: MediaRow,
  send: (file: FileToUpload) => Promise<T>,
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
