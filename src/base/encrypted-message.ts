// Encrypted files in the message format of the AWS Encryption SDK: keys and headers by the SDK, the frames as a generator.
import { type KeyObject, randomBytes } from 'node:crypto';
// not @aws-crypto/client-node, which also loads key service clients
import {
  AlgorithmSuiteIdentifier,
  CommitmentPolicy,
  getDecryptionHelper,
  getEncryptHelper,
  NodeAlgorithmSuite,
  NodeDefaultCryptographicMaterialsManager,
} from '@aws-crypto/material-management-node';
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from '@aws-crypto/raw-aes-keyring-node';
import {
  aadFactory,
  ContentType,
  decodeBodyHeader,
  deserializeFactory,
  type HeaderInfo,
  MessageIdLength,
  serializeFactory,
  serializeMessageHeaderAuth,
} from '@aws-crypto/serialize';
import { type ByteReader, openByteReader } from './byte-reader.ts';
import { countUsedBuffers } from './used-buffers.ts';

/** What is authenticated with the file: an owner, as the encryption context of the SDK. */
export type FileContext = Readonly<Record<string, string>>;

const keyNamespace = 'chatbot-gateway';
/**
 * Bytes of a frame. Readers accept any length up to `maxFrameLength`: earlier versions wrote 64 KiB, which cost four
 * times as many ciphers, buffers and writes.
 */
const frameLength = 262_144;
const maxFrameLength = 1_048_576;
const tagBytes = 16;
/** Bytes that are encrypted in one call. */
const stepBytes = 65_536;
/** A frame's header: its number (4 bytes) and nonce (12); the last one's also has a marker (4) and its length (4). */
const frameHeaderBytes = 16;
const lastFrameHeaderBytes = 24;
/** More than any header of ours: one wrapped key and two ids. */
const maxHeaderBytes = 4096;

// 0x0478: AES-256-GCM with key commitment. No signature: every reader has the key.
const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;
const commitmentPolicy = CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT;
const suite = new NodeAlgorithmSuite(suiteId);

const fromUtf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
const toUtf8 = (bytes: Uint8Array): string => bufferOf(bytes).toString('utf8');
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
const { buildMessageHeader, serializeMessageHeader, headerAuthIv, frameIv, frameHeader, finalFrameHeader } =
  serializeFactory(fromUtf8, { utf8Sorting: true });
const { deserializeMessageHeader } = deserializeFactory(toUtf8, NodeAlgorithmSuite);
const { messageAAD, messageAADContentString } = aadFactory(fromUtf8);

function materialsOf(key: KeyObject): NodeDefaultCryptographicMaterialsManager {
  const keyring = new RawAesKeyringNode({
    keyNamespace,
    keyName: 'file',
    // the SDK requires bytes with a buffer of their own
    unencryptedMasterKey: new Uint8Array(key.export()),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
  return new NodeDefaultCryptographicMaterialsManager(keyring);
}

/** What is authenticated with a frame: its message, number and length, and whether it is the last. */
function frameAad(messageId: Uint8Array, frame: { number: number; bytes: number; isLast: boolean }): Buffer {
  const kind = messageAADContentString({ contentType: ContentType.FRAMED_DATA, isFinalFrame: frame.isLast });
  return bufferOf(messageAAD(messageId, kind, frame.number, frame.bytes));
}

/**
 * Yields the encrypted message. A chunk is valid until the next is requested: its memory is reused. Throws the error of
 * `plain`.
 */
export async function* encryptMessage(
  plain: AsyncIterable<Buffer>,
  key: KeyObject,
  context: FileContext,
): AsyncGenerator<Buffer> {
  const material = await materialsOf(key).getEncryptionMaterials({
    ...{ suite, commitmentPolicy, encryptionContext: { ...context } },
  });
  const { getCipherInfo, dispose } = getEncryptHelper(material);
  try {
    const messageId = randomBytes(MessageIdLength.V2);
    const { getCipher, keyCommitment } = getCipherInfo(messageId);
    const { encryptedDataKeys, encryptionContext } = material;
    const messageHeader = buildMessageHeader({
      ...{ suite, encryptedDataKeys, encryptionContext, messageId, frameLength },
      ...(keyCommitment ? { suiteData: keyCommitment } : {}),
    });
    const header = bufferOf(serializeMessageHeader(messageHeader));
    const headerIv = headerAuthIv(suite.ivLength);
    const headerCipher = getCipher(headerIv).setAAD(header);
    headerCipher.final();
    const headerAuthTag = headerCipher.getAuthTag();
    yield Buffer.concat([header, serializeMessageHeaderAuth({ headerIv, headerAuthTag, messageHeader })]);

    // reused for every frame: at 100 MB a second, new buffers would cost more in garbage collection than the cipher
    const clear = Buffer.allocUnsafeSlow(frameLength);
    const encrypted = Buffer.allocUnsafeSlow(lastFrameHeaderBytes + frameLength + tagBytes);
    const frame = (number: number, content: Buffer, isLast: boolean): Buffer => {
      const bytes = content.length;
      const iv = frameIv(suite.ivLength, number);
      const cipher = getCipher(iv).setAAD(frameAad(messageId, { number, bytes, isLast }));
      let length = append(
        encrypted,
        0,
        isLast ? finalFrameHeader(number, iv, bytes) : frameHeader(number, iv),
      );
      for (let at = 0; at < bytes; at += stepBytes)
        length = appendAndRelease(encrypted, length, cipher.update(content.subarray(at, at + stepBytes)));
      cipher.final();
      return encrypted.subarray(0, append(encrypted, length, cipher.getAuthTag()));
    };
    let [number, filled] = [1, 0];
    for await (const chunk of plain) {
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(clear, filled, at);
        [at, filled] = [at + copied, filled + copied];
        if (filled < frameLength) continue;
        yield frame(number, clear, false);
        // the chunks, and their parts of the request
        countUsedBuffers(2 * frameLength);
        [number, filled] = [number + 1, 0];
      }
    }
    yield frame(number, clear.subarray(0, filled), true);
  } finally {
    dispose();
  }
}

/** Copies `bytes` to `target`; returns the position after them. */
function append(target: Buffer, at: number, bytes: Uint8Array): number {
  target.set(bytes, at);
  return at + bytes.length;
}

/** The same, and frees the memory of `bytes` immediately, if they have a buffer of their own. */
function appendAndRelease(target: Buffer, at: number, bytes: Buffer): number {
  const after = append(target, at, bytes);
  if (bytes.length === bytes.buffer.byteLength) (bytes.buffer as ArrayBuffer).transfer(0);
  return after;
}

/** A message that is not what it claims to be. */
const altered = () => new Error('The message is altered or incomplete.');

/**
 * Yields the clear bytes of a message, each frame after it is authenticated. `checkContext` gets the authenticated context
 * before the first byte, and throws to reject the message. Fails for anything but a whole message of this key; errors of the
 * source are wrapped in SourceError.
 */
export async function* decryptMessage(
  encrypted: AsyncIterable<Buffer>,
  key: KeyObject,
  checkContext: (context: FileContext) => void,
): AsyncGenerator<Buffer> {
  const source = encrypted[Symbol.asyncIterator]();
  const reader = openByteReader(source);
  let dispose = () => {};
  try {
    const header = await readHeader(reader);
    const { messageHeader, headerAuth, rawHeader } = header;
    const { encryptionContext, encryptedDataKeys, messageId } = messageHeader;
    const material = await materialsOf(key).decryptMaterials({ suite, encryptionContext, encryptedDataKeys });
    const helper = getDecryptionHelper(material);
    dispose = helper.dispose;
    // compares the key commitment
    const getDecipher = helper.getDecipherInfo(
      messageId,
      'suiteData' in messageHeader ? messageHeader.suiteData : undefined,
    );
    getDecipher(headerAuth.headerIv)
      .setAAD(bufferOf(rawHeader))
      .setAuthTag(bufferOf(headerAuth.headerAuthTag))
      .final();
    checkContext(encryptionContext);

    for (let number = 1, isLast = false; !isLast; number++) {
      const frame = await readFrameHeader(reader, header);
      if (frame.sequenceNumber !== number) throw altered();
      const bytes = frame.contentLength;
      if (!(await reader.fill(bytes + tagBytes))) throw altered();
      isLast = frame.isFinalFrame;
      const decipher = getDecipher(frame.iv).setAAD(frameAad(messageId, { number, bytes, isLast }));
      const clear = reader.take(bytes).map((piece) => decipher.update(piece));
      decipher.setAuthTag(Buffer.concat(reader.take(tagBytes)));
      // throws unless the whole frame is authentic
      decipher.final();
      yield* clear;
      // the frame, encrypted and clear
      countUsedBuffers(2 * bytes);
    }
    if (await reader.fill(1)) throw altered();
  } catch (error) {
    throw error === reader.failure ? new SourceError(error) : error;
  } finally {
    dispose();
    await source.return?.();
  }
}

/** The source of a message failed with `cause`: the message itself may be intact. */
export class SourceError extends Error {
  constructor(cause: unknown) {
    super('The source of the message failed.', { cause });
    this.name = 'SourceError';
  }
}

async function readHeader(reader: ByteReader): Promise<HeaderInfo> {
  for (let bytes = 1; await reader.fill(bytes); bytes = reader.available + 1) {
    const header = deserializeMessageHeader(reader.peek(maxHeaderBytes), { maxEncryptedDataKeys: 1 });
    if (header) {
      const { contentType, frameLength: length } = header.messageHeader;
      const isOurs = header.algorithmSuite.id === suiteId && contentType === ContentType.FRAMED_DATA;
      if (!isOurs || length > maxFrameLength) throw altered();
      reader.take(header.rawHeader.byteLength + header.headerAuth.headerAuthLength);
      return header;
    }
    if (reader.available >= maxHeaderBytes) break;
  }
  throw altered();
}

async function readFrameHeader(reader: ByteReader, header: HeaderInfo) {
  // a frame that is not the last is followed by another: the file never ends within these bytes
  await reader.fill(lastFrameHeaderBytes);
  const frame = decodeBodyHeader(reader.peek(lastFrameHeaderBytes), header, 0);
  if (!frame) throw altered();
  reader.take(frame.isFinalFrame ? lastFrameHeaderBytes : frameHeaderBytes);
  return frame;
}
