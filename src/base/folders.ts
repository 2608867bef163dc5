// Creation of folders with their parents.
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates the folder and its parents unless it exists, and returns the first one that it created. Throws an error that names the
 * folder if it cannot. Default mode: for the owner only.
 */
export async function makeFolder(folder: string, mode = 0o700): Promise<string | undefined> {
  return make(resolve(folder), mode).catch((error: NodeJS.ErrnoException) => {
    throw Object.assign(new Error(`The directory ${folder} cannot be created: ${error.message}.`), {
      cause: error,
      code: error.code,
    });
  });
}

/**
 * One by one: with the option `recursive`, mkdir never ends where a new folder in an existing one is ENOENT, as in /proc.
 */
async function make(folder: string, mode: number): Promise<string | undefined> {
  if (await isFolder(folder)) return undefined;
  const parent = dirname(folder);
  const first = parent === folder ? undefined : await make(parent, mode);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // another process created it in the meantime
    if (await isFolder(folder)) return first;
    throw new Error(`${folder} is a symbolic link to nothing`, { cause: error });
  }
  return first ?? folder;
}

/** False if it is missing. Throws if it is something else than a folder. */
async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (found && !found.isDirectory()) throw new Error(`${path} is not a directory`);
  return found !== undefined;
}
