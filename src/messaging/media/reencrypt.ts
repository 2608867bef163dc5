// After a rotation of the encryption keys: files' own keys are encrypted anew; their content stays as it is.
import type { Cipher } from '../../base/cipher.ts';
import { type Page, reencryptPage, type SecretsRound } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';
import { listFileKeys, replaceFileKey } from './reencrypt-store.ts';

/** Seals the keys of one page of files with the newest key. No object is read or written, however large. */
export function reencryptMedia(deps: { db: Db; cipher: Cipher }, page: Page): Promise<SecretsRound> {
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
