// An uploader of large files as forms, and as a baseline the encryption of the same bytes with plain AES-256-GCM.
import { createCipheriv, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
// Bare undici, not the client: a form of the client holds the whole file in memory, and this process only streams.
import { Pool } from 'undici';
import { nowMs, serveParent } from './child.ts';

export interface UploadInput {
  url: string;
  apiKey: string;
  files: number;
  bytes: number;
}

const chunkBytes = 64 * 1024;
const chunk = randomBytes(chunkBytes);

/** A stream of bytes that begins like a PDF. */
function* file(bytes: number): Iterable<Buffer> {
  const head = Buffer.from('%PDF-1.7\n');
  yield head;
  for (let left = bytes - head.length; left > 0; left -= chunkBytes)
    yield left < chunkBytes ? chunk.subarray(0, left) : chunk;
}

function* form(boundary: string, name: string, bytes: number): Iterable<Buffer> {
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/pdf\r\n\r\n`,
  );
  yield* file(bytes);
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

/** Uploads all files concurrently; returns the milliseconds of the whole and of each file. */
async function upload({ url, apiKey, files, bytes }: UploadInput) {
  const pool = new Pool(url, { connections: files, headersTimeout: 600_000, bodyTimeout: 600_000 });
  const began = nowMs();
  // unique names: the same file again would be a duplicate, which is compared instead of registered
  const run = randomBytes(4).toString('hex');
  const one = async (index: number) => {
    const boundary = `bench-${index}-${randomBytes(8).toString('hex')}`;
    const response = await pool.request({
      method: 'POST',
      path: '/v1/templates/media',
      headers: { 'x-api-key': apiKey, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: Readable.from(form(boundary, `file-${run}-${index}.pdf`, bytes), { objectMode: false }),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`an upload failed: ${response.statusCode} ${text}`);
    return nowMs() - began;
  };
  const each = await Promise.all(Array.from({ length: files }, (_, index) => one(index)));
  await pool.close();
  return { ms: nowMs() - began, each };
}

/** Encrypts the same bytes, one file after the other; returns the milliseconds. */
function encrypt({ files, bytes }: Pick<UploadInput, 'files' | 'bytes'>): number {
  const began = nowMs();
  for (let index = 0; index < files; index++) {
    const cipher = createCipheriv('aes-256-gcm', randomBytes(32), randomBytes(12));
    for (const part of file(bytes)) cipher.update(part);
    cipher.final();
    cipher.getAuthTag();
  }
  return nowMs() - began;
}

serveParent({ upload, encrypt });
