// Table sender_paces: the rate that a number has now, and the platform's throttling, which slows it down.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';

/** The sender's current rate: its configured rate, or the rate left by throttling, which recovers by 5 % a second. */
export const ratePerSecond = sql`least(per_second, coalesce(
  slowed_to * power(1.05, greatest(0, least(300, extract(epoch from now() - slowed_at)))), per_second))::float8`;

/** True if the sender was throttled in the last `seconds`. Ignores a time in the future: the database's clock stepped back since. */
const slowedWithin = (seconds: number) =>
  sql`slowed_at between now() - ${seconds}::int * interval '1 second' and now() + interval '1 second'`;

/**
 * The time of the sender's next slot. A time further ahead than the slowest rate (1/s) or a throttling (60 s) allows was
 * written before the database's clock stepped back; it counts as now.
 */
export const nextSlot = sql`case when tat <= now() + interval '2 seconds' or (tat <= now() + interval '62 seconds' and ${slowedWithin(62)})
  then greatest(tat, now()) else now() end`;

/**
 * Throttles a sender: no slot for `seconds`, and half the rate. Halves at most once in `onceInSeconds`: all calls in flight are
 * rejected together. `code`: the platform's code of the rejection.
 */
export async function slowPace(
  db: Db,
  senderId: string,
  seconds: number,
  code: number | null = null,
  onceInSeconds = 1,
): Promise<void> {
  await sql`
    /* slowPace */ update sender_paces set tat = greatest(${nextSlot}, now() + ${seconds} * interval '1 second'),
      slowed_to = case when ${slowedWithin(onceInSeconds)} then slowed_to
        else greatest(1, ${ratePerSecond} / 2) end,
      slowed_at = case when ${slowedWithin(onceInSeconds)} then slowed_at else now() end, slowed_code = ${code}
    where sender_id = ${senderId}`.execute(db);
}

/** The pace of a number. */
export interface ShownPace {
  /** Messages per second. */
  allowed: number;
  /** When the full rate is reached again; null if it is. */
  throttledUntil: Date | null;
  /** The platform's code that slowed it down; null without. */
  code: number | null;
}

/** A slowed rate recovers by 5 % a second, as in `ratePerSecond`. */
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
