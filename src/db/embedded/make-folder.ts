// Creation of a folder of the embedded database.
import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates the folder and its parents, unless it exists. One by one: with the option `recursive`, mkdir never ends where a new folder
 * in an existing one is ENOENT, as in /proc.
 */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  const parent = dirname(resolve(folder));
  if (parent !== folder && !existsSync(parent)) await makeFolder(parent, mode);
  await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  });
}
