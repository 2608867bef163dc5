// Encrypting and opening stored files as streams, in the AWS Encryption SDK's documented message format.
import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Duplex, Readable } from 'node:stream';
// these parts of the SDK rather than @aws-crypto/client-node, which also loads the clients of a key service
import { buildDecrypt } from '@aws-crypto/decrypt-node';
import { buildEncrypt, type MessageHeader } from '@aws-crypto/encrypt-node';
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from '@aws-crypto/material-management-node';
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from '@aws-crypto/raw-aes-keyring-node';

/** Whose file it is; a encrypted file opens for no other. Both are ids of ours. */
export interface FileOwner {
  accountId: string;
  mediaId: string;
}

/** What a file must turn out to be. */
export interface FileDigest {
  /** Bytes in the clear. */
  size: number;
  /** SHA-256 of the clear bytes. */
  sha256: Uint8Array;
}

/** The key of one file alone: 32 random bytes. A KeyObject, which neither `JSON.stringify` nor a log ever prints. */
export type FileKey = KeyObject;

export interface FileEncryption {
  /** `plain` encrypted with the file's own key; if `plain` fails, so does the result, with the same error. */
  encrypt(plain: Readable, owner: FileOwner, key: FileKey): Readable;
  /**
   * `encrypted` in the clear. Nothing of a frame is given out before the frame was authenticated; an altered, cut or
   * foreign file fails with VaultError, a failing source with its own error.
   */
  open(encrypted: Readable, owner: FileOwner, key: FileKey): Readable;
  /** Reads all of `encrypted` and throws VaultError unless it opens and is exactly the file of that digest. */
  verify(encrypted: Readable, owner: FileOwner, key: FileKey, digest: FileDigest): Promise<void>;
}

/** A stored file that cannot be trusted: altered, cut, another's, or its key is gone. */
export class StoredFileError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'VaultError';
  }
}

const keyNamespace = 'chatbot-gateway';
// 64 KiB frames: measured 714 MB/s encrypting and 590 MB/s opening, against 114 and 108 with the library's 4 KiB
const frameLength = 65_536;
// 0x0478: AES-256-GCM with key commitment and without signature. The opener holds the key, so a signature proves nothing more
const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

/** A key for a new file. */
export const newFileKey = (): FileKey => createSecretKey(randomBytes(32));

/** The text of a file's key, to be encrypted, and back. */
export const fileKeyText = (key: FileKey): string => key.export().toString('base64');
export const fileKeyOf = (text: string): FileKey => createSecretKey(Buffer.from(text, 'base64'));

/**
 * A vault: every file is encrypted with its own key (AES-256-GCM, `keyNamespace` "chatbot-gateway", key name "file"), with
 * `account` and `media` as its encryption context, so any implementation of the AWS Encryption SDK opens it for who
 * holds the file's key. That key lies encrypted in the file's row, so that a rotation of keys never touches the content.
 */
export function openFileEncryption(): FileEncryption {
  const policy = {
    commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
    maxEncryptedDataKeys: 1,
  };
  const client = { ...buildEncrypt(policy), ...buildDecrypt(policy) };

  const vault: FileEncryption = {
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
      // Comes once the header is authenticated and before any clear byte.
      stream.once('MessageHeader', (header: MessageHeader) => {
        if (!isOf(header, owner))
          stream.destroy(new StoredFileError('The stored file belongs to another record.'));
      });
      return through(encrypted, stream, untrusted, destroy);
    },

    async verify(encrypted, owner, key, digest) {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of vault.open(encrypted, owner, key)) {
        hash.update(chunk);
        size += chunk.length;
      }
      if (size !== digest.size || !hash.digest().equals(digest.sha256)) {
        throw new StoredFileError(
          'The stored file is not the one that was uploaded: its length or digest differs.',
        );
      }
    },
  };
  return vault;
}

function keyringOf(key: FileKey): RawAesKeyringNode {
  return new RawAesKeyringNode({
    keyNamespace,
    keyName: 'file',
    // The library insists on bytes that share no buffer with others.
    unencryptedMasterKey: new Uint8Array(key.export()),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
}

const contextOf = ({ accountId, mediaId }: FileOwner) => ({ account: accountId, media: mediaId });

function isOf(header: MessageHeader, owner: FileOwner): boolean {
  const { account, media, ...others } = header.encryptionContext;
  return account === owner.accountId && media === owner.mediaId && Object.keys(others).length === 0;
}

const encryptionError = (cause: unknown) => new Error('A file could not be sealed.', { cause });

function untrusted(cause: unknown): StoredFileError {
  if (cause instanceof StoredFileError) return cause;
  return new StoredFileError(
    'The stored file cannot be opened: it was altered or cut short, or it is not the one that its key is for.',
    cause,
  );
}

/** How a stream of the library is let go before its end. */
type Release = (stream: Duplex) => void;

/**
 * The library joins the encrypting stream's parts by a `pipeline` without a callback, so destroying it raises an error
 * that nobody can catch and ends the process. It is ended instead, and what is left in it flows nowhere.
 */
const endUnread: Release = (stream) => {
  stream.end();
  stream.resume();
};

const destroy: Release = (stream) => {
  stream.destroy();
};

/**
 * `source` through a stream of the library, as a stream of our own: the library's streams do not finish their own
 * destruction, which Node's `pipeline` would wait for. An end on either side ends both.
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
  // Who drops the stream unread must not end the process by its failure; whoever reads it still gets it.
  result.on('error', () => {});
  feed().catch((error: Error) => result.destroy(error));
  return result;
}
