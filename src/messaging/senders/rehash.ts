// Rehashing of app secrets with the newest key; senders of one app are found by these hashes.
import { type Cipher, CipherError } from '../../base/cipher.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Page } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';
import { appSecretHash, openSecret } from './access.ts';
import { listSendersPage, replaceAppSecretHash } from './reencrypt-store.ts';

export interface RehashDeps {
  db: Db;
  cipher: Cipher;
  keyedHash: KeyedHash;
}

/** Rehashes one page of senders whose hash is not of the newest key. Returns where the next page starts. */
async function rehashSenders(deps: RehashDeps, page: Page): Promise<string | undefined> {
  const rows = await listSendersPage(deps.db, page);
  for (const row of rows) {
    if (row.app_secret_hash.length === 0 || deps.keyedHash.isNewest(row.app_secret_hash)) continue;
    try {
      const hash = appSecretHash(deps.keyedHash, openSecret(deps.cipher, row, 'app_secret'));
      await replaceAppSecretHash(deps.db, { id: row.id, before: row.app_secret_hash, after: hash });
    } catch (error) {
      // a secret that cannot be decrypted is reported when it is used
      if (!(error instanceof CipherError)) throw error;
    }
  }
  return rows.length < page.limit ? undefined : rows.at(-1)?.id;
}

/** Rehashes all senders that an earlier version or key left. Safe to repeat, and to run in several processes. */
export async function rehashAllSenders(deps: RehashDeps): Promise<void> {
  let afterId: string | undefined;
  do afterId = await rehashSenders(deps, { afterId, limit: 500 });
  while (afterId !== undefined);
}
