// Queries for re-encrypting the secrets of senders.
import { sql } from 'kysely';
import type { EncryptedChange, EncryptedRow, Page } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';
import type { SenderRow } from './store.ts';

export type SenderSecret = 'access_token' | 'app_secret' | 'verify_token';

/** One page of the encrypted secrets of all senders, in the order of their ids. */
export async function listSenderSecrets(db: Db, page: Page): Promise<EncryptedRow<SenderSecret>[]> {
  const { rows } = await sql<EncryptedRow<SenderSecret>>`
    select id, access_token, app_secret, verify_token from senders
    where ${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces one encrypted secret; false if it was changed or its sender removed concurrently. */
export async function replaceSenderSecret(db: Db, change: EncryptedChange<SenderSecret>): Promise<boolean> {
  const column = sql.ref(change.column);
  const { rows } = await sql`
    update senders set ${column} = ${change.after} where id = ${change.id} and ${column} = ${change.before}
    returning 1`.execute(db);
  return rows.length === 1;
}

/** One page of the senders of all accounts, in the order of their ids. */
export async function listSendersPage(db: Db, page: Page): Promise<SenderRow[]> {
  return db
    .selectFrom('senders')
    .selectAll()
    .$if(page.afterId !== undefined, (query) => query.where('id', '>', page.afterId as string))
    .orderBy('id')
    .limit(page.limit)
    .execute();
}

/** Replaces the hash of an app secret, unless the secret was changed concurrently. */
export async function replaceAppSecretHash(
  db: Db,
  change: { id: string; before: Buffer; after: Buffer },
): Promise<void> {
  await db
    .updateTable('senders')
    .set({ app_secret_hash: change.after })
    .where('id', '=', change.id)
    .where('app_secret_hash', '=', change.before)
    .execute();
}
