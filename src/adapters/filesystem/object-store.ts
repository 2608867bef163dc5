// The object store in a directory: writes a durable temporary file, then renames it, so readers never see a part.
import { createHash } from 'node:crypto';
import { type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { ObjectInfo, ObjectStore } from '../../ports/object-store.ts';
import { makeDurableFolder, syncFolder } from './folders.ts';

export interface FilesystemStoreOptions {
  /** Created if missing, accessible to its owner only. */
  directory: string;
  clock: Clock;
}

const keyPart = /^(?!\.+$)[A-Za-z0-9._-]{1,128}$/;
const leftoverAgeMs = 3_600_000;
/** Bytes of one read: each is a task of another thread. */
const readBytes = 262_144;

type Content = Parameters<ObjectStore['put']>[1];

/**
 * Opens the directory as an object store. Objects are in `objects/`, unfinished puts in `incoming/`, on one file system so
 * that a rename is atomic. Several processes of one machine may share the directory. Throws an error that names it if it cannot be made.
 */
export async function openFilesystemStore(options: FilesystemStoreOptions): Promise<ObjectStore> {
  const objects = join(options.directory, 'objects');
  const incoming = join(options.directory, 'incoming');
  await makeDurableFolder(objects);
  await makeDurableFolder(incoming);
  const pathOf = (key: string) => join(objects, ...keyParts(key));

  return {
    async put(key, content) {
      const temporary = join(incoming, `${unfinishedPrefix(key)}${uuidv7()}`);
      return { size: await putFile(pathOf(key), temporary, content) };
    },

    async get(key) {
      const path = pathOf(key);
      return withVendorErrors('be read', async () => {
        const file = await open(path, 'r').catch(unlessMissing);
        return file ? file.createReadStream({ highWaterMark: readBytes }) : null;
      });
    },

    async head(key) {
      const path = pathOf(key);
      return withVendorErrors('be read', async () => {
        const found = await stat(path).catch(unlessMissing);
        return found?.isFile() ? { key, size: found.size } : null;
      });
    },

    async delete(key) {
      const path = pathOf(key);
      await withVendorErrors('be removed', async () => {
        await rm(path, { force: true });
        await syncFolder(dirname(path)).catch(unlessMissing);
      });
    },

    list: (prefix) => walk(objects, objects, prefix),

    check: () => withVendorErrors('be written', () => writeProbe(join(incoming, uuidv7()))),

    async abandon(key) {
      pathOf(key);
      const prefix = unfinishedPrefix(key);
      await withVendorErrors('be swept', async () => {
        for await (const entry of await opendir(incoming)) {
          if (entry.name.startsWith(prefix)) await rm(join(incoming, entry.name), { force: true });
        }
      });
    },

    sweep: () =>
      withVendorErrors('be swept', () => sweepFolder(incoming, options.clock.now() - leftoverAgeMs)),
  };
}

/** Writes the content to a temporary file and renames it to `path`; returns its size in bytes. */
async function putFile(path: string, temporary: string, content: Content): Promise<number> {
  try {
    const size = await writeDurably(temporary, content);
    await withVendorErrors('be written', async () => {
      await makeDurableFolder(dirname(path));
      await rename(temporary, path);
      await syncFolder(dirname(path));
    });
    return size;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    // the caller handles an error of its content; every other error is the store's
    throw error instanceof ContentError ? error.cause : asVendorError('be written', error);
  }
}

async function writeProbe(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.write('1');
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

function keyParts(key: string): string[] {
  const parts = key.split('/');
  if (key.length > 512 || !parts.every((part) => keyPart.test(part))) {
    throw new Error(`"${key}" is not a valid key of the object store.`);
  }
  return parts;
}

/** The prefix of a key's temporary files: a digest, because a key may be longer than a file name. */
function unfinishedPrefix(key: string): string {
  return `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.`;
}

/** The content failed, not the file. */
class ContentError extends Error {}

/** Writes and syncs a file, and always closes it. Throws ContentError if the content fails. */
async function writeDurably(path: string, content: Content): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    const size = await writeAll(file, content);
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

/** Writes the content, one write for each chunk. Returns its size in bytes. */
async function writeAll(file: FileHandle, content: Content): Promise<number> {
  let size = 0;
  for await (const chunk of contentOf(content)) {
    // a write may be partial: then the next one continues, or says why it was
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
    size += chunk.length;
  }
  return size;
}

async function* contentOf(content: Content): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (cause) {
    throw new ContentError('', { cause });
  }
}

/** Lists the files in `folder` whose key starts with `prefix`; skips folders without any. */
async function* walk(root: string, folder: string, prefix: string): AsyncGenerator<ObjectInfo> {
  const entries = await withVendorErrors('be listed', () => opendir(folder).catch(unlessMissing));
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    const key = relative(root, path).split(sep).join('/');
    if (entry.isDirectory()) {
      const below = `${key}/`;
      if (below.startsWith(prefix) || prefix.startsWith(below)) yield* walk(root, path, prefix);
    } else if (key.startsWith(prefix)) {
      const found = await stat(path).catch(unlessMissing);
      if (found) yield { key, size: found.size };
    }
  }
}

async function sweepFolder(folder: string, olderThanMs: number): Promise<number> {
  let removed = 0;
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    const found = await stat(path).catch(unlessMissing);
    // a running put writes all the time, so its file is never this old
    if (!found || found.mtimeMs >= olderThanMs) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function unlessMissing(error: unknown): undefined {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is read-only',
  EMFILE: 'too many files are open',
};

const fullCodes = new Set(['ENOSPC', 'EDQUOT']);

async function withVendorErrors<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw asVendorError(what, error);
  }
}

function asVendorError(what: string, error: unknown): VendorError {
  if (error instanceof VendorError) return error;
  const code = codeOf(error);
  const reason = (code && reasons[code]) ?? 'the file system failed';
  return new VendorError('rejected', `The directory of stored files could not ${what}: ${reason}.`, {
    ...(code ? { code: fullCodes.has(code) ? 'storage_full' : code } : {}),
    cause: error,
  });
}
