// Re-encrypts calendar credentials and the secrets of sign-ins after an encryption key rotation.
import type { Cipher } from '../../base/cipher.ts';
import { type Page, type ReencryptedPage, reencryptPage } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';
import { listCredentials, replaceCredential } from './connections-store.ts';
import { listCodeVerifiers, replaceCodeVerifier } from './oauth-states-store.ts';

type Deps = { db: Db; cipher: Cipher };

/** Re-encrypts the credentials of one page of calendar connections with the newest key. */
export function reencryptCalendars(deps: Deps, page: Page): Promise<ReencryptedPage> {
  return reencryptPage(
    deps.cipher,
    {
      name: 'calendar_connections',
      columns: ['credential'] as const,
      read: (of) => listCredentials(deps.db, of),
      write: (change) => replaceCredential(deps.db, change),
    },
    page,
  );
}

/** Re-encrypts the code verifiers of one page of sign-ins with the newest key. */
export function reencryptConsents(deps: Deps, page: Page): Promise<ReencryptedPage> {
  return reencryptPage(
    deps.cipher,
    {
      name: 'oauth_states',
      columns: ['code_verifier'] as const,
      read: (of) => listCodeVerifiers(deps.db, of),
      write: (change) => replaceCodeVerifier(deps.db, change),
    },
    page,
  );
}
