// Table sender_paces, as people see it: the rate that a number has now, and until when the platform's throttling slows it down.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';

/** The pace of a number. */
export interface ShownPace {
  /** Messages per second. */
  allowed: number;
  /** When the full rate is reached again; null if it is. */
  throttledUntil: Date | null;
  /** The platform's code that slowed it down; null without. */
  code: number | null;
}

/** A slowed rate recovers by 5 % a second (`dispatch/paces-store.ts`). */
const recovery = sql.lit(1.05);

/** The paces of these senders, by the sender's id. */
export async function listPaces(db: Db | Tx, senderIds: readonly string[]): Promise<Map<string, ShownPace>> {
  type Row = { sender_id: string; allowed: number; throttled_until: Date | null; code: number | null };
  const { rows } = await sql<Row>`
    select sender_id, rate as allowed, case when until > now() then until end as throttled_until,
      case when until > now() then slowed_code end as code
    from sender_paces p
    cross join lateral (select least(per_second, coalesce(slowed_to * power(${recovery}::float8, greatest(0, least(300,
      extract(epoch from now() - slowed_at)))::float8), per_second))::float8 as rate) r
    cross join lateral (select greatest(
      slowed_at + ln(greatest(1, per_second / nullif(slowed_to, 0)::float8)) / ln(${recovery}::float8) * interval '1 second',
      -- no call before this after a rejection
      case when slowed_at > now() - interval '62 seconds' and tat > now() + interval '2 seconds' then tat end) as until) u
    where sender_id = any (${[...senderIds]}::uuid[])`.execute(db);
  return new Map(
    rows.map((row) => [
      row.sender_id,
      {
        allowed: Math.round(row.allowed * 10) / 10,
        throttledUntil: row.throttled_until,
        code: row.code,
      },
    ]),
  );
}
