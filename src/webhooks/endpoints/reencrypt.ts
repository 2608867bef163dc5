// After a rotation of the encryption keys: endpoints' secrets are encrypted anew.
import type { Cipher } from '../../base/cipher.ts';
import { type Page, reencryptPage, type SecretsRound } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';
import { listEndpointSecrets, replaceEndpointSecret } from './reencrypt-store.ts';

/** Seals the signing secrets of one page of endpoints with the newest key; what they sign stays the same. */
export function reencryptEndpoints(deps: { db: Db; cipher: Cipher }, page: Page): Promise<SecretsRound> {
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
