// Folders whose names survive a power failure.
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Creates the folder and its parents, for their owner only, unless it exists. Throws an error that names it if it cannot. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await make(resolve(folder)).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The directory ${folder} cannot be created: ${error.message}.`, { cause: error });
  });
  if (first !== undefined) await syncFolder(dirname(first));
}

/**
 * Returns the first folder that it created. One by one: with the option `recursive`, mkdir never ends where a new folder in an
 * existing one is ENOENT, as in /proc.
 */
async function make(folder: string): Promise<string | undefined> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (found?.isDirectory()) return undefined;
  if (found) throw new Error(`${folder} is not a directory`);
  const parent = dirname(folder);
  const first = parent === folder ? undefined : await make(parent);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // another process created it in the meantime
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return first;
  }
  return first ?? folder;
}

/** Makes the names in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a directory; NTFS journals names
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
