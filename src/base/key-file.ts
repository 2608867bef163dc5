// The key file of the embedded mode: encryption keys in DATA_DIR, readable only by the file's owner.
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type KeyRing, makeKey, parseKeyRing } from './cipher.ts';
import { makeFolder } from './folders.ts';
import { uuidv7 } from './ids.ts';

/**
 * Reads the ring in the file at `path`. Creates the file with one new key if it is missing (mode 600, atomically, so that
 * concurrent starts read the same key). Throws an Error that names the file but not its content if it cannot be read, has
 * no valid keys, or is readable by others than its owner.
 */
export async function readOrMakeKeyFile(path: string): Promise<KeyRing> {
  const text = await readKeyFile(path);
  if (text !== null) return parseFile(path, text);
  await makeFolder(dirname(path));
  await putKeyFile(path, `${makeKey()}\n`, 'keep');
  return parseFile(path, (await readKeyFile(path)) ?? '');
}

/** Writes a new file at `path` with these keys; keeps an existing one. */
export async function writeNewKeyFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path));
  await putKeyFile(path, text, 'keep');
}

/** Adds a new key as the first one in the file at `path`, and returns the new ring. */
export async function addKeyToFile(path: string): Promise<KeyRing> {
  const older = await readKeyFile(path);
  if (older === null) throw new Error(`The key file ${path} does not exist, so no key can be added.`);
  parseFile(path, older);
  const text = `${makeKey()}\n${older.trim()}\n`;
  await putKeyFile(path, text, 'replace');
  return parseFile(path, text);
}

async function readKeyFile(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new Error(`The key file ${path} is readable by other users. Run: chmod 600 ${path}`);
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

/** Writes a temporary file, syncs it, and renames it. `keep`: does not replace an existing file. */
async function putKeyFile(path: string, text: string, existing: 'keep' | 'replace'): Promise<void> {
  const temporary = `${path}.${uuidv7()}.tmp`;
  const file = await open(temporary, 'wx', 0o600).catch((error: Error) => {
    throw new Error(
      `The key file ${path} cannot be written: ${error.message}. Set DATA_DIR to a folder that this user may write, or set ENCRYPTION_KEYS.`,
      { cause: error },
    );
  });
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

/** A hard link never replaces a file, so exactly one of several concurrent starts sets the key. */
async function linkUnlessThere(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return;
    // some file systems have no hard links; there a rename is the only atomic operation
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    await rename(from, to);
  }
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory; its file system journals names
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
