// Connections and bookings, to find events of bookings that the database does not have.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import { type ConnectionRow, connectionColumns } from '../calendar/connections-store.ts';

/** Lists up to `limit` connections that are not dead, by id, from the one after `afterId`. */
export async function listConnections(
  db: Db,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<ConnectionRow[]> {
  const { rows } = await sql<ConnectionRow>`
    select ${connectionColumns} from calendar_connections where dead_at is null and id > ${afterId} order by id limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Returns the ids of those bookings that do not exist. */
export async function missingBookings(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select x.id from unnest(${[...ids]}::uuid[]) x(id)
    where not exists (select from bookings b where b.id = x.id) and x.id is not null`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
