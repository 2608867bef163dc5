// Rows of calendar connections.
import { type Insertable, type Selectable, sql } from 'kysely';
import type { EncryptedChange, EncryptedRow, Page } from '../../base/reencrypt.ts';
import { bookingState } from '../../contract/bookings.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';
import { sqlConstants } from '../../db/sql-constants.ts';

const state = sqlConstants(bookingState);

export type StoredConnection = Selectable<DB['calendar_connections']>;
/** `staff_timezone`: the zone of the staff member's schedule as it is now. */
export type ConnectionRow = StoredConnection & { staff_timezone: string };

export const connectionColumns = sql<ConnectionRow>`calendar_connections.*,
  (select timezone from staff where staff.id = calendar_connections.staff_id) as staff_timezone`;

/** The connection of a staff member, dead or not. */
export async function findConnection(db: Db | Tx, staffId: string): Promise<ConnectionRow | undefined> {
  const { rows } = await sql<ConnectionRow>`
    select ${connectionColumns} from calendar_connections where staff_id = ${staffId}`.execute(db);
  return rows[0];
}

/**
 * Replaces the staff member's connection and makes unfinished bookings due. The same calendar keeps its sync cursor, so that
 * no external change is missed; under a new address, its bookings get that address.
 */
export async function replaceConnection(
  tx: Tx,
  connection: Insertable<DB['calendar_connections']>,
): Promise<StoredConnection> {
  const before = await tx
    .deleteFrom('calendar_connections')
    .where('staff_id', '=', connection.staff_id)
    .returning(['calendar_id', 'calendar_key', 'changes_cursor', 'changes_read_at'])
    .executeTakeFirst();
  const isSame =
    before !== undefined &&
    before.calendar_id === connection.calendar_id &&
    before.calendar_key !== null &&
    before.calendar_key === connection.calendar_key;
  await sql`
    update bookings set due_at = now() where staff_id = ${connection.staff_id} and due_at > now()
      and attempts > 1`.execute(tx);
  await sql`
    update bookings set calendar_id = ${connection.calendar_id}
    where staff_id = ${connection.staff_id} and provider = ${connection.provider}
      and calendar_key = ${connection.calendar_key ?? null}::uuid and calendar_id <> ${connection.calendar_id}
      and state in (${state.held}, ${state.confirmed}, ${state.compensating})`.execute(tx);
  return tx
    .insertInto('calendar_connections')
    .values({
      ...connection,
      changes_cursor: isSame ? before.changes_cursor : null,
      changes_read_at: isSame ? before.changes_read_at : null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes a connection; false if it was replaced or removed. */
export async function deleteConnection(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`delete from calendar_connections where id = ${id} returning 1`.execute(tx);
  return rows.length === 1;
}

/** Locks the connection of a staff member. */
export async function lockConnection(
  tx: Tx,
  accountId: string,
  staffId: string,
): Promise<ConnectionRow | undefined> {
  const { rows } = await sql<ConnectionRow>`
    select ${connectionColumns} from calendar_connections
    where account_id = ${accountId} and staff_id = ${staffId} for update`.execute(tx);
  return rows[0];
}

/** True if another staff member, of any account, is connected to the same account of that provider. */
export async function isAccountShared(
  db: Db,
  { id, provider, account_email }: Pick<StoredConnection, 'id' | 'provider' | 'account_email'>,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from calendar_connections where provider = ${provider} and account_email = ${account_email} and id <> ${id}
      and dead_at is null limit 1`.execute(db);
  return rows.length > 0;
}

/** Up to 50 connected calendars of an account at that provider, newest first. */
export async function knownCalendars(
  db: Db,
  accountId: string,
  provider: string,
): Promise<Pick<StoredConnection, 'id' | 'credential' | 'calendar_id' | 'calendar_key'>[]> {
  return db
    .selectFrom('calendar_connections')
    .select(['id', 'credential', 'calendar_id', 'calendar_key'])
    .where('account_id', '=', accountId)
    .where('provider', '=', provider)
    .where('dead_at', 'is', null)
    .where('calendar_key', 'is not', null)
    .orderBy('connected_at', 'desc')
    .limit(50)
    .execute();
}

/** True while bookings of a staff member are being written to the calendar. */
export async function hasUnfinishedBookings(tx: Tx, staffId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from bookings where staff_id = ${staffId} and due_at is not null and provider is not null
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** Marks a connection as dead; undefined if it was dead, replaced or removed. */
export async function markDead(tx: Tx, id: string, failure: string): Promise<StoredConnection | undefined> {
  const { rows } = await sql<StoredConnection>`
    update calendar_connections set dead_at = now(), failure = ${failure}
    where id = ${id} and dead_at is null returning *`.execute(tx);
  return rows[0];
}

/** Records a success, at most once a minute unless a failure was recorded. */
export async function recordUse(db: Db, id: string): Promise<void> {
  await sql`
    update calendar_connections set last_synced_at = now(), failure = null
    where id = ${id} and dead_at is null and (failure is not null or last_synced_at is null
      or last_synced_at < now() - interval '1 minute')`.execute(db);
}

/** Records why the last call failed. */
export async function recordFailure(db: Db, id: string, failure: string): Promise<void> {
  await sql`
    update calendar_connections set failure = ${failure}
    where id = ${id} and dead_at is null and failure is distinct from ${failure}`.execute(db);
}

/** Sets which calendars of a connection block slots. */
export async function setBusyCalendars(db: Db, id: string, calendarIds: string[]): Promise<void> {
  await sql`
    update calendar_connections set busy_calendar_ids = ${calendarIds}::text[] where id = ${id}`.execute(db);
}

/** A connection that is being read, since `claimed_at`. */
export type ClaimedConnection = ConnectionRow & { claimed_at: Date };

/** Claims up to `limit` connections whose events are due to be read, for `againMs`. */
export async function claimCalendarReads(
  db: Db,
  limit: number,
  againMs: number,
): Promise<ClaimedConnection[]> {
  const { rows } = await sql<ClaimedConnection>`
    update calendar_connections set changes_due_at = now() + ${againMs} * interval '1 millisecond'
    where id in (select id from calendar_connections where dead_at is null and changes_due_at <= now()
      order by changes_due_at limit ${limit} for update skip locked)
    returning ${connectionColumns}, now() as claimed_at`.execute(db);
  return rows;
}

/** Postpones the next reading of a calendar by the time for which it has not answered, at most `maxMs`. */
export async function postponeFailingRead(db: Db, id: string, maxMs: number): Promise<void> {
  await sql`
    update calendar_connections
    set changes_due_at = greatest(changes_due_at, now() + least(${maxMs} * interval '1 millisecond', now() - last_synced_at))
    where id = ${id} and failure is not null`.execute(db);
}

/** Stores the sync cursor of a reading. */
export async function saveCursor(
  db: Db,
  { id, claimed_at }: Pick<ClaimedConnection, 'id' | 'claimed_at'>,
  cursor: string,
): Promise<void> {
  await sql`
    update calendar_connections set changes_cursor = ${cursor}, changes_read_at = ${claimed_at}
    where id = ${id}`.execute(db);
}

/** Schedules the next reading of a staff member's calendar after `ms`. */
export async function scheduleCalendarRead(db: Db, staffId: string, ms: number): Promise<void> {
  await sql`
    update calendar_connections set changes_due_at = now() + ${ms} * interval '1 millisecond'
    where staff_id = ${staffId}`.execute(db);
}

/** Locks a connection. True if a mass deletion was recorded in its calendar within the last `ms`. */
export async function lockMassDeletion(tx: Tx, connectionId: string, ms: number): Promise<boolean> {
  const { rows } = await sql<{ recent: boolean }>`
    select coalesce(bookings_missing_at > now() - ${ms} * interval '1 millisecond', false) as recent
    from calendar_connections where id = ${connectionId} for update`.execute(tx);
  return rows[0]?.recent ?? false;
}

/** Records a mass deletion in the calendar of a connection. */
export async function markMassDeletion(tx: Tx, connectionId: string): Promise<void> {
  await sql`
    update calendar_connections set bookings_missing_at = now() where id = ${connectionId}`.execute(tx);
}

/** A page of the calendar connections of all accounts with their credentials, in the order of their ids. */
export async function listCredentials(db: Db, page: Page): Promise<EncryptedRow<'credential'>[]> {
  const { rows } = await sql<EncryptedRow<'credential'>>`
    select id, credential from calendar_connections
    where ${page.afterId ?? null}::uuid is null or id > ${page.afterId ?? null}::uuid
    order by id limit ${page.limit}`.execute(db);
  return rows;
}

/** Replaces an encrypted credential; false if it has changed. */
export async function replaceCredential(db: Db, change: EncryptedChange<'credential'>): Promise<boolean> {
  const { rows } = await sql`
    update calendar_connections set credential = ${change.after}
    where id = ${change.id} and credential = ${change.before} returning 1`.execute(db);
  return rows.length === 1;
}

/** A calendar whose authorization was revoked. */
export interface DisconnectedCalendar {
  staff_id: string;
  /** Of the staff member. */
  name: string;
  provider: string;
  dead_at: Date;
  failure: string | null;
}

/** The account's calendars whose authorization was revoked, the oldest first. */
export async function listDisconnectedCalendars(
  db: Db,
  accountId: string,
  limit: number,
): Promise<DisconnectedCalendar[]> {
  const { rows } = await sql<DisconnectedCalendar>`
    select c.staff_id, s.name, c.provider, c.dead_at, c.failure
    from staff s join calendar_connections c on c.staff_id = s.id
    where s.account_id = ${accountId} and s.deleted_at is null and c.dead_at is not null
    order by c.dead_at, c.staff_id limit ${limit}`.execute(db);
  return rows;
}
