// After a rotation of the encryption keys: files' own keys are sealed anew; their content stays as it is.
import type { Cipher } from '../../base/cipher.ts';
import { type Page, resealPage, type SecretsRound } from '../../base/reseal.ts';
import type { Db } from '../../db/db.ts';
import { listFileKeys, replaceFileKey } from './reseal-store.ts';

/** Seals the keys of one page of files with the newest key. No object is read or written, however large. */
export function resealMedia(deps: { db: Db; cipher: Cipher }, page: Page): Promise<SecretsRound> {
  return resealPage(
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
