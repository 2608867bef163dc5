// Who else works on this database.
import { sql } from 'kysely';
import type { Db } from './db.ts';

/** What a gateway that answers or works names its connections; commands have none of that name. */
export const gatewayConnections = 'gateway hot';

/** How many connections gateways hold to this database, as far as the user of `db` may see. */
export async function countGatewayConnections(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = ${gatewayConnections}`.execute(db);
  return rows[0]?.count ?? 0;
}
