// Statements of operational events about webhook endpoints.
import { sql } from 'kysely';
import type { Tx } from '../db/db.ts';

/** A change of an endpoint's status. */
export interface StatusChange {
  accountId: string;
  endpointId: string;
  from: string;
  to: string;
}

/** Takes up to `limit` recorded changes of endpoints, oldest first. Skips those that another process takes. */
export async function takeEndpointChanges(tx: Tx, limit: number): Promise<StatusChange[]> {
  const { rows } = await sql<StatusChange & { id: number }>`
    delete from endpoint_changes where id in (
      select id from endpoint_changes order by id limit ${limit}::int for update skip locked)
    returning id, account_id as "accountId", endpoint_id as "endpointId", from_status as "from", to_status as "to"`.execute(
    tx,
  );
  return rows.sort((a, b) => a.id - b.id);
}

/**
 * Endpoints with dead deliveries of which none were announced within a minute, up to `limit`. Each is claimed until the end of the
 * transaction: another process finds it announced. A time ahead, from before the database's clock stepped back, does not count.
 */
export async function findDeadToAnnounce(tx: Tx, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into dead_announcements as a (endpoint_id, at)
    select e.id, now() from endpoints e
    where exists (select from dead_deliveries d where d.endpoint_id = e.id)
      and not exists (select from dead_announcements x where x.endpoint_id = e.id and x.at between now() - interval '1 minute' and now())
    order by e.id limit ${limit}::int
    on conflict (endpoint_id) do update set at = excluded.at where a.at not between now() - interval '1 minute' and now()
    returning a.endpoint_id as id`.execute(tx);
  return rows.map(({ id }) => id);
}

export interface DeadGroup {
  accountId: string;
  reason: string;
  count: number;
  from: Date;
  to: Date;
}

/** Takes the recorded dead deliveries of an endpoint, by reason. */
export async function takeDead(tx: Tx, endpointId: string): Promise<DeadGroup[]> {
  const { rows } = await sql<DeadGroup>`
    with taken as (delete from dead_deliveries where endpoint_id = ${endpointId} returning account_id, reason, count, at)
    select account_id as "accountId", reason, sum(count)::int as count, min(at) as "from", max(at) as "to"
    from taken group by account_id, reason order by reason`.execute(tx);
  return rows;
}
