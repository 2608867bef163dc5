// Tables callback_uptime and callback_outages: when no process could receive callbacks.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/db.ts';

/** Longer than the interval between two heartbeats of a busy process. */
const outageSeconds = 15;

/**
 * Records that callbacks can be received now, and an outage if the last record is older than 15 s. Each listening process
 * calls it at its start and every few seconds.
 */
export async function recordCallbackUptime(db: Db): Promise<void> {
  await sql`
    /* recordCallbackUptime */ with was as (select seen_at from callback_uptime for update),
    outage as (
      insert into callback_outages (from_at, to_at) select seen_at, now() from was
      where seen_at < now() - ${outageSeconds} * interval '1 second' on conflict (to_at) do nothing)
    update callback_uptime set seen_at = now() from was`.execute(db);
}

/** The time since that instant in which no callback could be received, as an interval. */
export function outageSince(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((
    select sum(o.to_at - greatest(o.from_at, ${instant})) from (
      select from_at, to_at from callback_outages
      union all
      select seen_at, now() from callback_uptime where seen_at < now() - ${outageSeconds} * interval '1 second') o
    where o.to_at > ${instant}), interval '0')`;
}

/** Deletes outages that no message depends on: the platform repeats callbacks for seven days. */
export async function deleteOldOutages(db: Db): Promise<void> {
  await sql`delete from callback_outages where to_at < now() - interval '8 days'`.execute(db);
}
