// The gateways connected to this database.
import { sql } from 'kysely';
import { gatewayConnections } from './connections.ts';
import type { Db } from './db.ts';

/** Number of connections of gateways to this database, as far as the user of `db` may see them. */
export async function countGatewayConnections(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = ${gatewayConnections}`.execute(db);
  return rows[0]?.count ?? 0;
}
