// When callbacks could be taken, as rows: a stop of all processes, or of the database, is time that no report could come in.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/db.ts';

/** Longer than the pause between two notes of one process, and than a busy moment. */
const outageSeconds = 15;

/**
 * Notes that callbacks can be taken now, and, if nobody noted it for 15 s, that they could not in the meantime. Each
 * process that listens calls it when it starts and every few seconds.
 */
export async function recordCallbackUptime(db: Db): Promise<void> {
  await sql`
    with was as (select seen_at from callback_uptime for update),
    outage as (
      insert into callback_outages (from_at, to_at) select seen_at, now() from was
      where seen_at < now() - ${outageSeconds} * interval '1 second' on conflict (to_at) do nothing)
    update callback_uptime set seen_at = now() from was`.execute(db);
}

/** How long callbacks could not be taken since that instant: an interval. */
export function outageSince(instant: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((
    select sum(o.to_at - greatest(o.from_at, ${instant})) from (
      select from_at, to_at from callback_outages
      union all
      select seen_at, now() from callback_uptime where seen_at < now() - ${outageSeconds} * interval '1 second') o
    where o.to_at > ${instant}), interval '0')`;
}

/** Forgets outages that no message waits for any more: the platform repeats its callbacks for seven days. */
export async function deleteOldOutages(db: Db): Promise<void> {
  await sql`delete from callback_outages where to_at < now() - interval '8 days'`.execute(db);
}
