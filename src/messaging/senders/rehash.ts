// The hashes by which the numbers of one platform app are found, made again under the newest key.
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

/** Hashes one page of senders again where the newest key did not make the hash; answers where the next page begins. */
export async function rehashSenders(deps: RehashDeps, page: Page): Promise<string | undefined> {
  const rows = await listSendersPage(deps.db, page);
  for (const row of rows) {
    if (row.app_secret_hash.length === 0 || deps.keyedHash.isNewest(row.app_secret_hash)) continue;
    try {
      const hash = appSecretHash(deps.keyedHash, openSecret(deps.cipher, row, 'app_secret'));
      await replaceAppSecretHash(deps.db, { id: row.id, before: row.app_secret_hash, after: hash });
    } catch (error) {
      // a secret that does not open is reported by whoever uses it; its number is found by no hash either
      if (!(error instanceof CipherError)) throw error;
    }
  }
  return rows.length < page.limit ? undefined : rows.at(-1)?.id;
}

/** The same for all senders: what an earlier version, or an older key, left. Safe to repeat and beside other processes. */
export async function rehashAllSenders(deps: RehashDeps): Promise<void> {
  let afterId: string | undefined;
  do afterId = await rehashSenders(deps, { afterId, limit: 500 });
  while (afterId !== undefined);
}
