// Table sender_paces: slots within the rate limit of each sender, shared by all processes.
import { type RawBuilder, sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db } from '../../db/db.ts';
import { nextSlot, ratePerSecond } from '../senders/paces-store.ts';

/** True if the sender's next slot is more than `seconds` away, as after the platform throttled it. */
export const isSlowedFor = (senderId: RawBuilder<unknown>, seconds: number): RawBuilder<boolean> =>
  sql`((select ${nextSlot} > now() + ${seconds} * interval '1 second' from sender_paces
    where sender_id = ${senderId}) is true)`;

/** A wish for slots of a sender. */
export interface SlotsWanted {
  senderId: string;
  count: number;
}

/** The slots that a wish got, and the milliseconds until the first. */
export interface ReservedSlots {
  granted: number;
  firstInMs: number;
}

/**
 * An update that reserves slots within the next `windowMs` (GCRA, one row a sender), for a CTE. `wanted` has the columns `id` (of a
 * sender, each once, in order) and `wanted`. Returns `sender_id`, `granted`, `first_in_ms` (until the first slot) and `interval_ms` of
 * each sender that got at least one.
 */
export const reserveSlotsOf = (wanted: RawBuilder<unknown>, windowMs: number): RawBuilder<unknown> => sql`
    update sender_paces p set tat = x.next_slot + x.n * (interval '1 second' / x.rate)
    from (select sender_id, rate, next_slot, least(wanted, greatest(0, ceil(extract(epoch from
        now() + ${windowMs} * interval '1 millisecond' - next_slot) * rate)))::int n
      from (select s.sender_id, ${nextSlot} next_slot, ${ratePerSecond} rate, w.wanted
        from ${wanted} w join sender_paces s on s.sender_id = w.id for update of s) y) x
    where p.sender_id = x.sender_id and x.n > 0
    returning p.sender_id, x.n granted, (1000 / x.rate)::float8 interval_ms,
      (extract(epoch from p.tat - x.n * (interval '1 second' / x.rate) - now()) * 1000)::float8 first_in_ms`;

/**
 * Reserves slots within the next `windowMs`, in one statement for many wishes; those of the same sender get theirs in the order
 * given. Commits asynchronously: a crash loses at most 100 ms of pace.
 */
export async function reservePaces(
  db: Db,
  wanted: readonly SlotsWanted[],
  windowMs: number,
): Promise<ReservedSlots[]> {
  const counts = new Map<string, number>();
  for (const { senderId, count } of wanted) counts.set(senderId, (counts.get(senderId) ?? 0) + count);
  const senders = [...counts.keys()].sort();
  const { rows } = await sql<{
    sender_id: string;
    granted: number;
    first_in_ms: number;
    interval_ms: number;
  }>`
    /* reservePace */ ${reserveSlotsOf(
      sql`(select u.id, u.wanted from
        unnest(${arrayText(senders)}::uuid[], ${arrayText(senders.map((id) => counts.get(id) ?? 0))}::int[]) u(id, wanted),
        (select set_config('synchronous_commit', 'off', true)) relaxed)`,
      windowMs,
    )}`.execute(db);
  const left = new Map(rows.map((row) => [row.sender_id, row]));
  return wanted.map(({ senderId, count }) => {
    const row = left.get(senderId);
    if (!row) return { granted: 0, firstInMs: windowMs };
    const slots = { granted: Math.min(count, row.granted), firstInMs: row.first_in_ms };
    row.granted -= slots.granted;
    row.first_in_ms += slots.granted * row.interval_ms;
    return slots;
  });
}
