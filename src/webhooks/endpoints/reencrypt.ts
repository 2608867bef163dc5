// Re-encryption of endpoint secrets after a rotation of the encryption key.
import type { Cipher } from '../../base/cipher.ts';
import { type Page, type ReencryptedPage, reencryptPage } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';
import { listEndpointSecrets, replaceEndpointSecret } from './reencrypt-store.ts';

/** Encrypts the signing secrets of one page of endpoints with the newest key. The secrets do not change. */
export function reencryptEndpoints(deps: { db: Db; cipher: Cipher }, page: Page): Promise<ReencryptedPage> {
  return reencryptPage(
    deps.cipher,
    {
      name: 'endpoints',
      columns: ['secret', 'next_secret'] as const,
      read: (of) => listEndpointSecrets(deps.db, of),
      write: (change) => replaceEndpointSecret(deps.db, change),
    },
    page,
  );
}
