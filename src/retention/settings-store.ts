// Tables account_retention, retention_notices and retention_runs.
import { sql } from 'kysely';
import { noDays, type RetentionDays, type RetentionKind, retentionKinds } from '../base/retention-days.ts';
import type { Db, Tx } from '../db/db.ts';
import type { Announcement, Announcements } from './cutoffs.ts';

/** The days that an account set for itself. */
export async function findOwnDays(db: Db | Tx, accountId: string): Promise<RetentionDays> {
  const { rows } = await sql<RetentionDays>`
    select messages, received, deliveries, bookings, audit from account_retention where account_id = ${accountId}`.execute(
    db,
  );
  return rows[0] ?? noDays;
}

/** Replaces them. */
export async function putOwnDays(tx: Tx, accountId: string, days: RetentionDays): Promise<void> {
  await sql`
    insert into account_retention (account_id, messages, received, deliveries, bookings, audit)
    values (${accountId}, ${days.messages}, ${days.received}, ${days.deliveries}, ${days.bookings}, ${days.audit})
    on conflict (account_id) do update set messages = excluded.messages, received = excluded.received,
      deliveries = excluded.deliveries, bookings = excluded.bookings, audit = excluded.audit`.execute(tx);
}

/** An account with its own days. */
export interface AccountDays {
  accountId: string;
  own: RetentionDays;
}

/** Every account, by id. */
export async function listAccountDays(db: Db): Promise<AccountDays[]> {
  const { rows } = await sql<{ id: string; own: RetentionDays | null }>`
    select a.id, to_jsonb(r) - 'account_id' as own from accounts a left join account_retention r on r.account_id = a.id
    order by a.id`.execute(db);
  return rows.map(({ id, own }) => ({ accountId: id, own: own ?? noDays }));
}

/** What was announced, by kind. */
export async function findNotices(db: Db): Promise<Announcements> {
  const { rows } = await sql<Announcement & { kind: RetentionKind }>`
    select kind, days, announced_at as "announcedAt", first_announced_at as "firstAnnouncedAt" from retention_notices`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ kind, ...announcement }) => [kind, announcement]));
}

/** Records the days of the settings as announced at that time. Fewer days than before begin their notice again. */
export async function recordNotices(db: Db, days: RetentionDays, at: Date): Promise<void> {
  await sql`
    insert into retention_notices as n (kind, days, announced_at, first_announced_at)
    select kind, days, ${at}, ${at}
    from unnest(${[...retentionKinds]}::text[], ${retentionKinds.map((kind) => days[kind])}::int[]) x(kind, days)
    on conflict (kind) do update set days = excluded.days,
      announced_at = case when coalesce(excluded.days, 1000000) < coalesce(n.days, 1000000) then excluded.announced_at else n.announced_at end
    where n.days is distinct from excluded.days`.execute(db);
}

/**
 * Leases the run to this process for two minutes, also again while it has it. False if it is not due, or if another process has it,
 * or while the gateway is held.
 */
export async function leaseRun(db: Db, processId: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update retention_runs set leased_by = ${processId}::int, leased_until = now() + interval '2 minutes'
    where single and (leased_by = ${processId}::int and leased_until > now() or leased_until <= now() and due_at <= now())
      and not exists (select from gateway_state where held_since is not null)`.execute(db);
  return numAffectedRows === 1n;
}

/** Ends the run of this process; the next one is due after `seconds`. */
export async function endRun(db: Db, processId: number, seconds: number): Promise<void> {
  await sql`
    update retention_runs set leased_until = '-infinity', due_at = now() + ${seconds}::int * interval '1 second'
    where single and leased_by = ${processId}::int`.execute(db);
}

/** True if a clock was put forward by more than an hour in the last week, by its own reckoning: what looks old may not be. */
export async function hasJumped(db: Db, now: Date): Promise<boolean> {
  const { rows } = await sql<{ jumped: boolean }>`
    select exists (select from clock_steps where seconds > 3600 and noticed_at > ${now}::timestamptz - interval '7 days') as jumped`.execute(
    db,
  );
  return rows[0]?.jumped === true;
}

/** Makes the next run due now. */
export async function makeRunDue(db: Db): Promise<void> {
  await sql`update retention_runs set due_at = least(due_at, now()) where single`.execute(db);
}

/** The earlier of that time and the database's: a machine whose clock is ahead must not remove anything early. */
export async function notAhead(db: Db, at: Date): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select least(${at}::timestamptz, now()) as at`.execute(db);
  return rows[0]?.at ?? at;
}
