// Re-encryption of the secrets of senders after a key rotation.
import type { Cipher } from '../../base/cipher.ts';
import { type Page, type ReencryptedPage, reencryptPage } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';
import { listSenderSecrets, replaceSenderSecret } from './reencrypt-store.ts';

/** Encrypts the secrets of one page of senders with the newest key. */
export function reencryptSenders(deps: { db: Db; cipher: Cipher }, page: Page): Promise<ReencryptedPage> {
  return reencryptPage(
    deps.cipher,
    {
      name: 'senders',
      columns: ['access_token', 'app_secret', 'verify_token'] as const,
      read: (of) => listSenderSecrets(deps.db, of),
      write: (change) => replaceSenderSecret(deps.db, change),
    },
    page,
  );
}
