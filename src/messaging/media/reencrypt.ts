// Re-encryption of the keys of files after a key rotation; their content stays unchanged.
import type { Cipher } from '../../base/cipher.ts';
import { type Page, type ReencryptedPage, reencryptPage } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';
import { listFileKeys, replaceFileKey } from './reencrypt-store.ts';

/** Encrypts the keys of one page of files with the newest key. It reads and writes no objects. */
export function reencryptMedia(deps: { db: Db; cipher: Cipher }, page: Page): Promise<ReencryptedPage> {
  return reencryptPage(
    deps.cipher,
    {
      name: 'media',
      columns: ['file_key'] as const,
      read: (of) => listFileKeys(deps.db, of),
      write: (change) => replaceFileKey(deps.db, change),
    },
    page,
  );
}
