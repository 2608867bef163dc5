// Puts a file in place whole, also into a folder that another user owns.
import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';

/**
 * Replaces the file even where another user wrote it. The new name is unguessable and must not exist: as root, a link that the
 * folder's owner put there would be followed.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomBytes(8).toString('hex')}.new`;
  await writeFile(fresh, text, { mode: 0o644, flag: 'wx' });
  await rename(fresh, path);
}
