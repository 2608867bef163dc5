// Folders whose names survive a power failure.
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makeFolder } from '../../base/folders.ts';

/**
 * Creates the folder and its parents, for their owner only, unless it exists, and syncs each new name. Throws an error that names the
 * folder if it cannot.
 */
export async function makeDurableFolder(folder: string): Promise<void> {
  const first = await makeFolder(folder);
  if (first === undefined) return;
  for (let at = dirname(resolve(folder)); at.length >= dirname(first).length; at = dirname(at)) {
    await syncFolder(at);
    if (at === dirname(at)) return;
  }
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
