// The embedded mode's key file: the encryption keys beside the data, readable by its owner alone.
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type KeyRing, makeKey, parseKeyRing } from './cipher.ts';
import { uuidv7 } from './ids.ts';

/**
 * The ring in the file at `path`; the file is made with one new key if there is none (mode 600, atomically: whoever
 * starts at the same time reads the same key). Throws an Error that names the file, never its content, if it cannot
 * be read, holds no valid keys, or may be read by others than its owner.
 */
export async function readOrMakeKeyFile(path: string): Promise<KeyRing> {
  const text = await readKeyFile(path);
  if (text !== null) return parseFile(path, text);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await putKeyFile(path, `${makeKey()}\n`, 'keep');
  return parseFile(path, (await readKeyFile(path)) ?? '');
}

/** Puts a new key first in the file at `path`, keeping the older ones, and returns the new ring. */
export async function addKeyToFile(path: string): Promise<KeyRing> {
  const older = await readKeyFile(path);
  if (older === null) throw new Error(`There is no key file at ${path}, so no key can be added to it.`);
  parseFile(path, older);
  const text = `${makeKey()}\n${older.trim()}\n`;
  await putKeyFile(path, text, 'replace');
  return parseFile(path, text);
}

async function readKeyFile(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new Error(`The key file ${path} can be read by others. Run: chmod 600 ${path}`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function parseFile(path: string, text: string): KeyRing {
  try {
    return parseKeyRing(text);
  } catch (error) {
    throw new Error(
      `The key file ${path} is not usable: ${error instanceof Error ? error.message : 'unknown'}`,
    );
  }
}

/** Writes a temporary file, makes it durable, and gives it the name: `keep` leaves a file that is already there. */
async function putKeyFile(path: string, text: string, existing: 'keep' | 'replace'): Promise<void> {
  const temporary = `${path}.${uuidv7()}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    if (existing === 'replace') await rename(temporary, path);
    else await linkUnlessThere(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(dirname(path));
}

/** A hard link never replaces, so of several processes that start at once exactly one sets the key. */
async function linkUnlessThere(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return;
    // Some mounted file systems have no hard links; there the rename is the only atomic way.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    await rename(from, to);
  }
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory; its file system journals names itself.
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
