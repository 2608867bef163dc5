// The stored files of a backup, as a tar archive of their own: they are encrypted already.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import type { ObjectStore } from '../ports/object-store.ts';

/** A list of keys in a temporary file: there may be millions. */
export interface KeyList {
  keys(): AsyncIterable<string>;
  remove(): Promise<void>;
}

/** Writes the keys to a temporary file. The caller removes it. */
export async function keepKeys(keys: AsyncIterable<string[]>): Promise<KeyList> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-backup-'));
  const path = join(folder, 'files');
  async function* lines(): AsyncGenerator<string> {
    for await (const some of keys) yield some.map((key) => `${key}\n`).join('');
  }
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await pipeline(Readable.from(lines()), createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    await remove();
    throw error;
  }
  return { keys: () => createInterface({ input: createReadStream(path) }), remove };
}

/** What was written. `missing` are the first files that the object store does not have. */
export interface WrittenFiles {
  count: number;
  bytes: number;
  missingCount: number;
  missing: string[];
}

const listedMissingMax = 100;

/** Yields the tar archive of these files and counts them in `written`. A missing file is noted, not an error. */
export async function* filesArchive(
  objects: Pick<ObjectStore, 'get' | 'head'>,
  keys: AsyncIterable<string>,
  written: WrittenFiles,
): AsyncGenerator<Buffer> {
  const archive = pack();
  const writing = writeAll().catch((error: Error) => archive.destroy(error));

  async function writeAll(): Promise<void> {
    for await (const key of keys) {
      const size = (await objects.head(key))?.size;
      const content = size === undefined ? null : await objects.get(key);
      if (size === undefined || content === null) {
        written.missingCount += 1;
        if (written.missing.length < listedMissingMax) written.missing.push(key);
        continue;
      }
      await pipeline(
        content,
        archive.entry({ name: key, size, mode: 0o600 }) as unknown as NodeJS.WritableStream,
      );
      written.count += 1;
      written.bytes += size;
    }
    archive.finalize();
  }

  try {
    yield* archive as AsyncIterable<Buffer>;
    await writing;
  } finally {
    archive.destroy();
  }
}
