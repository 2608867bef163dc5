// Encryption and decryption of stored files as streams, in the AWS Encryption SDK message format.
import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Duplex, Readable } from 'node:stream';
// not @aws-crypto/client-node, which also loads key service clients
import { buildDecrypt } from '@aws-crypto/decrypt-node';
import { buildEncrypt, type MessageHeader } from '@aws-crypto/encrypt-node';
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from '@aws-crypto/material-management-node';
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from '@aws-crypto/raw-aes-keyring-node';

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
  /** Encrypts `plain` with the file's key. If `plain` fails, the result fails with the same error. */
  encrypt(plain: Readable, owner: FileOwner, key: FileKey): Readable;
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

const keyNamespace = 'chatbot-gateway';
// 64 KiB frames: measured 714 MB/s encrypting and 590 MB/s decrypting; 114 and 108 with the default of 4 KiB
const frameLength = 65_536;
// 0x0478: AES-256-GCM with key commitment. No signature: every reader has the key.
const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

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
  const policy = {
    commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
    maxEncryptedDataKeys: 1,
  };
  const client = { ...buildEncrypt(policy), ...buildDecrypt(policy) };

  const encryption: FileEncryption = {
    encrypt(plain, owner, key) {
      const stream = client.encryptStream(keyringOf(key), {
        suiteId,
        frameLength,
        encryptionContext: contextOf(owner),
      });
      return through(plain, stream, encryptionError, endUnread);
    },

    open(encrypted, owner, key) {
      const stream = client.decryptUnsignedMessageStream(keyringOf(key));
      // emitted after the header is authenticated and before any clear byte
      stream.once('MessageHeader', (header: MessageHeader) => {
        if (!isOf(header, owner))
          stream.destroy(new StoredFileError('The stored file belongs to another record.'));
      });
      return through(encrypted, stream, untrusted, destroy);
    },

    async verify(encrypted, owner, key, digest) {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of encryption.open(encrypted, owner, key)) {
        hash.update(chunk);
        size += chunk.length;
      }
      if (size !== digest.size || !hash.digest().equals(digest.sha256)) {
        throw new StoredFileError('The stored file differs from the upload in its length or digest.');
      }
    },
  };
  return encryption;
}

function keyringOf(key: FileKey): RawAesKeyringNode {
  return new RawAesKeyringNode({
    keyNamespace,
    keyName: 'file',
    // the library requires bytes with a buffer of their own
    unencryptedMasterKey: new Uint8Array(key.export()),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
}

const contextOf = ({ accountId, mediaId }: FileOwner) => ({ account: accountId, media: mediaId });

function isOf(header: MessageHeader, owner: FileOwner): boolean {
  const { account, media, ...others } = header.encryptionContext;
  return account === owner.accountId && media === owner.mediaId && Object.keys(others).length === 0;
}

const encryptionError = (cause: unknown) => new Error('The file could not be encrypted.', { cause });

function untrusted(cause: unknown): StoredFileError {
  if (cause instanceof StoredFileError) return cause;
  return new StoredFileError(
    'The stored file cannot be decrypted: it was altered or truncated, or its key belongs to another file.',
    cause,
  );
}

/** Releases a stream of the library before its end. */
type Release = (stream: Duplex) => void;

/**
 * Ends the stream and discards the rest. Destroying it would end the process: the library joins its parts by a `pipeline`
 * without a callback, so nobody can catch the error.
 */
const endUnread: Release = (stream) => {
  stream.end();
  stream.resume();
};

const destroy: Release = (stream) => {
  stream.destroy();
};

/**
 * Pipes `source` through a stream of the library into our own stream: Node's `pipeline` would wait forever, because the
 * library's streams never finish their destruction. An end on either side ends both.
 */
function through(
  source: Readable,
  stream: Duplex,
  failureOf: (error: unknown) => Error,
  release: Release,
): Readable {
  let over = false;
  const result = new Readable({
    highWaterMark: frameLength,
    read: () => stream.resume(),
    destroy(error, done) {
      over = true;
      stream.removeListener('data', pass);
      release(stream);
      source.destroy();
      done(error);
    },
  });
  function pass(chunk: Buffer): void {
    if (!result.push(chunk)) stream.pause();
  }
  stream.on('data', pass);
  stream.on('end', () => {
    over = true;
    result.push(null);
  });
  stream.on('error', (error: unknown) => result.destroy(failureOf(error)));
  stream.on('close', () => over || result.destroy(failureOf(undefined)));

  const feed = async () => {
    for await (const chunk of source) {
      if (over) return;
      if (!stream.write(chunk)) await once(stream, 'drain');
    }
    if (!over) stream.end();
  };
  // a failure of a stream that nobody reads must not end the process
  result.on('error', () => {});
  feed().catch((error: Error) => result.destroy(error));
  return result;
}
