// Atomic replacement of a file, also in a folder that another user owns.
import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';

/**
 * Replaces the file even if another user wrote it. The temporary name is random and must not exist: root would otherwise
 * follow a link that the folder's owner created.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomBytes(8).toString('hex')}.new`;
  await writeFile(fresh, text, { mode: 0o644, flag: 'wx' });
  await rename(fresh, path);
}
