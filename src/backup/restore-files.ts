// Puts the stored files of a backup into the object store.

import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import type { ObjectStore } from '../ports/object-store.ts';

export interface FilesLoad {
  /** Appends bytes of the archive of files. */
  write(bytes: Buffer): Promise<void>;
  /** Resolves with the number of files when all are stored durably. */
  end(): Promise<number>;
  /** Ends early. */
  abort(): void;
}

/** Opens the loading of files. A file that is there already is replaced: it has the same key, and so the same content. */
export function openFilesLoad(objects: Pick<ObjectStore, 'put'>): FilesLoad {
  const input = new PassThrough();
  const entries = extract();
  const feeding = pipeline(input, entries as unknown as NodeJS.WritableStream);
  let count = 0;
  let failure: unknown;
  const storing = storeAll().catch((error: unknown) => {
    failure = error;
    input.destroy();
  });
  feeding.catch(() => undefined);

  async function storeAll(): Promise<void> {
    for await (const entry of entries) {
      await objects.put(entry.header.name, bytesOf(entry as AsyncIterable<Uint8Array>));
      count += 1;
    }
  }

  return {
    async write(bytes) {
      if (failure !== undefined) throw failure;
      if (!input.write(Buffer.from(bytes))) await Promise.race([once(input, 'drain'), storing]);
      if (failure !== undefined) throw failure;
    },
    async end() {
      input.end();
      await storing;
      if (failure !== undefined) throw failure;
      return count;
    },
    abort() {
      input.destroy();
      entries.destroy();
    },
  };
}

async function* bytesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of Readable.from(chunks)) yield Buffer.from(chunk as Uint8Array);
}
