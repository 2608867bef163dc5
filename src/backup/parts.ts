// One part of a backup: compressed with zstd, and encrypted if there is a backup key.
import { createHash, type KeyObject } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { decryptMessage, encryptMessage } from '../base/encrypted-message.ts';

/** How the parts of one backup are encrypted: `id` is that of the backup; `key` null: not at all. */
export interface PartEncryption {
  id: string;
  key: KeyObject | null;
}

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function joined(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = [];
  // a chunk's memory is reused
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

/** The stored form of a part's clear bytes. Compresses in this thread, which may have a low priority. */
export async function encodePart({ id, key }: PartEncryption, name: string, clear: Buffer): Promise<Buffer> {
  // the checksum detects a changed manifest, whose digest is nowhere else
  const compressed = zstdCompressSync(clear, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  if (!key) return compressed;
  return joined(encryptMessage(once(compressed), key, { backup: id, part: name }));
}

/** The clear bytes of a stored part, at most `maxBytes`. Throws if it is altered, of another backup, or another part. */
export async function decodePart(
  { id, key }: PartEncryption,
  name: string,
  stored: Buffer,
  maxBytes: number,
): Promise<Buffer> {
  const check = ({ backup, part }: Readonly<Record<string, string>>) => {
    if (backup !== id || part !== name) throw new Error('It belongs to another backup, or to another place.');
  };
  try {
    const compressed = key ? await joined(decryptMessage(once(stored), key, check)) : stored;
    return zstdDecompressSync(compressed, { maxOutputLength: maxBytes });
  } catch (error) {
    const why = key
      ? 'it was altered, or encrypted with another backup key. Use another backup, or the right BACKUP_KEYS'
      : 'it was altered. Use another backup';
    throw new Error(`The part ${name} of the backup cannot be read: ${why}.`, { cause: error });
  }
}
