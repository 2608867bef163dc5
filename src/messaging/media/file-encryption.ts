// Encryption and decryption of stored files as streams, in the AWS Encryption SDK message format.
import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  decryptMessage,
  encryptMessage,
  type FileContext,
  SourceError,
} from '../../base/encrypted-message.ts';

/** Whose file it is; a file cannot be decrypted for another owner. Both are our ids. */
export interface FileOwner {
  accountId: string;
  mediaId: string;
}

/** What a decrypted file must match. */
export interface FileDigest {
  /** Bytes in the clear. */
  size: number;
  /** SHA-256 of the clear bytes. */
  sha256: Uint8Array;
}

/** The key of one file: 32 random bytes, in a KeyObject because JSON and logs never print it. */
export type FileKey = KeyObject;

export interface FileEncryption {
  /**
   * Encrypts `plain` with the file's key. If `plain` fails, the result fails with the same error. Each chunk is valid until
   * the next is requested.
   */
  encrypt(plain: AsyncIterable<Buffer>, owner: FileOwner, key: FileKey): AsyncGenerator<Buffer>;
  /**
   * Decrypts `encrypted`. Each frame is authenticated before its bytes are returned. An altered, truncated or foreign
   * file fails with StoredFileError, a failing source with its own error.
   */
  open(encrypted: Readable, owner: FileOwner, key: FileKey): Readable;
  /** Decrypts all of `encrypted`. Throws StoredFileError unless it matches the digest. */
  verify(encrypted: Readable, owner: FileOwner, key: FileKey, digest: FileDigest): Promise<void>;
}

/** A stored file that cannot be trusted: altered, truncated, another owner's, or without its key. */
export class StoredFileError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoredFileError';
  }
}

/** A key for a new file. */
export const newFileKey = (): FileKey => createSecretKey(randomBytes(32));

/** Converts a file's key to text, and back. */
export const fileKeyText = (key: FileKey): string => key.export().toString('base64');
export const fileKeyOf = (text: string): FileKey => createSecretKey(Buffer.from(text, 'base64'));

/**
 * File encryption: every file is encrypted with its own key (AES-256-GCM, `keyNamespace` "chatbot-gateway", key name "file"), with
 * `account` and `media` as its encryption context, so any implementation of the AWS Encryption SDK can decrypt it
 * with the file's key. That key is stored encrypted in the file's row, so key rotations never touch the content.
 */
export function openFileEncryption(): FileEncryption {
  return {
    encrypt: (plain, owner, key) => encryptMessage(plain, key, contextOf(owner)),

    open(encrypted, owner, key) {
      const result = Readable.from(clearBytes(encrypted, owner, key), { objectMode: false });
      // a failure of a stream that nobody reads must not end the process
      result.on('error', () => {});
      // also before the first byte, and while the source is silent
      result.once('close', () => encrypted.destroy());
      return result;
    },

    async verify(encrypted, owner, key, digest) {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of clearBytes(encrypted, owner, key)) {
        hash.update(chunk);
        size += chunk.length;
      }
      if (size !== digest.size || !hash.digest().equals(digest.sha256)) {
        throw new StoredFileError('The stored file differs from the upload in its length or digest.');
      }
    },
  };
}

const contextOf = ({ accountId, mediaId }: FileOwner): FileContext => ({
  account: accountId,
  media: mediaId,
});

function isOf({ account, media, ...others }: FileContext, owner: FileOwner): boolean {
  return account === owner.accountId && media === owner.mediaId && Object.keys(others).length === 0;
}

/** The authenticated bytes. Throws StoredFileError, or the error of the source. */
async function* clearBytes(encrypted: Readable, owner: FileOwner, key: FileKey): AsyncGenerator<Buffer> {
  const checkOwner = (context: FileContext) => {
    if (!isOf(context, owner)) throw new StoredFileError('The stored file belongs to another record.');
  };
  try {
    yield* decryptMessage(encrypted, key, checkOwner);
  } catch (error) {
    if (error instanceof SourceError) throw error.cause;
    if (error instanceof StoredFileError) throw error;
    throw new StoredFileError(
      'The stored file cannot be decrypted: it was altered or truncated, or its key belongs to another file.',
      error,
    );
  }
}
