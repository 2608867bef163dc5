// Statements for re-encrypting the secrets of webhook endpoints.
import { sql } from 'kysely';
import type { EncryptedChange, EncryptedRow, Page } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';
import type { SecretColumn } from './secrets.ts';
import { endpointStatus } from './status.ts';

/** A page of all accounts' endpoints with their encrypted secrets, by id; deleted endpoints have none. */
export async function listEndpointSecrets(db: Db, page: Page): Promise<EncryptedRow<SecretColumn>[]> {
  const { rows } = await sql<EncryptedRow<SecretColumn>>`
    select id, secret, next_secret from endpoints
    where status <> ${sql.lit(endpointStatus.deleted)} and (${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid)
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces one encrypted secret; false if it was changed concurrently. */
export async function replaceEndpointSecret(db: Db, change: EncryptedChange<SecretColumn>): Promise<boolean> {
  const column = sql.ref(change.column);
  const { rows } = await sql`
    update endpoints set ${column} = ${change.after} where id = ${change.id} and ${column} = ${change.before}
    returning 1`.execute(db);
  return rows.length === 1;
}
