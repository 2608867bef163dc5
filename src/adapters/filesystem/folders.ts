// Folders whose names survive a power failure.
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Creates the folder and its parents, for their owner only, unless it exists. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) await syncFolder(dirname(first));
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
