// Backups in a directory: written to a temporary file, synced and renamed.
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { BackupStore } from '../../ports/backup-store.ts';
import { makeDurableFolder, syncFolder } from './folders.ts';

const readBytes = 1024 * 1024;
const partialSuffix = '.partial';

/** Opens the directory as a place of backups. It is created, for its owner only, when the first backup is written. */
export function openBackupFolder(directory: string): BackupStore {
  const pathOf = (name: string) => join(directory, name);

  return {
    async put(name, content) {
      await makeDurableFolder(directory);
      const path = pathOf(name);
      if (await exists(path)) throw new Error(`${path} exists already. Choose another name.`);
      const partial = `${path}${partialSuffix}`;
      try {
        await write(partial, content);
        await rename(partial, path);
        await syncFolder(directory);
      } catch (error) {
        await rm(partial, { force: true }).catch(() => undefined);
        throw error;
      }
    },

    async *get(name) {
      const path = pathOf(name);
      const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new AppError('not_found', `There is no backup ${path}.`) : error;
      });
      // the stream closes the file
      yield* file.createReadStream({ highWaterMark: readBytes });
    },

    async list() {
      const entries = await readdir(directory, { withFileTypes: true }).catch(unlessMissing);
      const files = (entries ?? []).filter((entry) => entry.isFile() && !entry.name.endsWith(partialSuffix));
      return Promise.all(files.map(async ({ name }) => ({ name, size: (await stat(pathOf(name))).size })));
    },

    remove: (name) => rm(pathOf(name), { force: true }),
  };
}

async function write(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  const fail = (error: NodeJS.ErrnoException): never => {
    const target = path.slice(0, -partialSuffix.length);
    throw new Error(
      `${target} cannot be written: ${error.message}. Choose a directory that this user may write and that has space.`,
      { cause: error },
    );
  };
  // the rest of an earlier backup that was killed is overwritten
  const file = await open(path, 'w', 0o600).catch(fail);
  try {
    for await (const chunk of content) {
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at).catch(fail)).bytesWritten;
    }
    await file.sync().catch(fail);
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(unlessMissing)) !== undefined;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
