// The sealed columns of webhook endpoints, for sealing them anew.
import { sql } from 'kysely';
import type { Page, SealedChange, SealedRow } from '../../base/reseal.ts';
import type { Db } from '../../db/db.ts';

export type EndpointSecret = 'secret' | 'next_secret';

/** A page of the endpoints of all accounts with their sealed secrets, in the order of their ids; deleted ones have none. */
export async function listEndpointSecrets(db: Db, page: Page): Promise<SealedRow<EndpointSecret>[]> {
  const { rows } = await sql<SealedRow<EndpointSecret>>`
    select id, secret, next_secret from endpoints
    where status <> 'deleted' and (${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid)
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces one sealed secret; false if it was changed meanwhile. */
export async function replaceEndpointSecret(db: Db, change: SealedChange<EndpointSecret>): Promise<boolean> {
  const column = sql.ref(change.column);
  const { rows } = await sql`
    update endpoints set ${column} = ${change.after} where id = ${change.id} and ${column} = ${change.before}
    returning 1`.execute(db);
  return rows.length === 1;
}
