// The encrypted columns of webhook endpoints, for encrypting them anew.
import { sql } from 'kysely';
import type { EncryptedChange, EncryptedRow, Page } from '../../base/reencrypt.ts';
import type { Db } from '../../db/db.ts';

export type EndpointSecret = 'secret' | 'next_secret';

/** A page of the endpoints of all accounts with their encrypted secrets, in the order of their ids; deleted ones have none. */
export async function listEndpointSecrets(db: Db, page: Page): Promise<EncryptedRow<EndpointSecret>[]> {
  const { rows } = await sql<EncryptedRow<EndpointSecret>>`
    select id, secret, next_secret from endpoints
    where status <> 'deleted' and (${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid)
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces one encrypted secret; false if it was changed meanwhile. */
export async function replaceEndpointSecret(
  db: Db,
  change: EncryptedChange<EndpointSecret>,
): Promise<boolean> {
  const column = sql.ref(change.column);
  const { rows } = await sql`
    update endpoints set ${column} = ${change.after} where id = ${change.id} and ${column} = ${change.before}
    returning 1`.execute(db);
  return rows.length === 1;
}
