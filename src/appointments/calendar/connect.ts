// Connects a staff member's calendar by password, chooses which calendars block slots, checks and disconnects.
import { audit } from '../../audit/store.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, invalidRequest, type Problem, VendorError } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { PutCalendarBody } from '../../contract/calendars.ts';
import type { Tx } from '../../db/db.ts';
import type { BusyTimesQuery, Calendar, Connected, EventProblem } from '../../ports/calendar.ts';
import { publish } from '../../webhooks/publish.ts';
import { staffNotFound } from '../directory/staff.ts';
import { type StaffRow, updateStaff } from '../directory/store.ts';
import {
  type CalendarDeps,
  calendarError,
  calendarKeyOf,
  credentialPlace,
  isAlive,
  type LiveConnection,
  liveConnection,
  notConfiguredText,
  openConnection,
  useCalendar,
} from './connection.ts';
import {
  type ConnectionRow,
  deleteConnection,
  hasUnfinishedBookings,
  knownCalendars,
  lockConnection,
  replaceConnection,
  type StoredConnection,
  setBusyCalendars,
} from './connections-store.ts';
import { revokeUnused } from './revoke.ts';
import { calendarStatusEvent } from './status-event.ts';

export type ConnectDeps = CalendarDeps & {
  clock: Clock;
  /** The gateway's public base URL, without a trailing slash. */
  publicUrl: () => string;
};

const callLimits = { timeoutMs: 15_000 };
const dayMs = 86_400_000;

/** 409 for a calendar provider that the operator has not configured. */
export function notConfigured(what: string): AppError {
  return new AppError('calendar_provider_not_configured', notConfiguredText(what));
}

/** True if the accounts are known to differ. A provider's authorization is for an account, so the old one is of no more use. */
const isOtherAccount = (before: ConnectionRow, after: StoredConnection): boolean =>
  before.provider !== after.provider ||
  (before.account_email !== null &&
    after.account_email !== null &&
    before.account_email.toLowerCase() !== after.account_email.toLowerCase());

/** The calendars that block slots: the same calendar keeps those that were chosen for it, so that no time of theirs becomes free. */
const busyCalendarsOf = (
  before: ConnectionRow | undefined,
  { calendarId, calendarKey }: { calendarId: string; calendarKey: string | null },
): string[] =>
  calendarKey !== null && before?.calendar_key === calendarKey && before.calendar_id === calendarId
    ? before.busy_calendar_ids
    : [calendarId];

/**
 * Stores a new connection in place of the previous one, whose authorization is revoked if it is of another account. `claim` runs first in the same transaction, and may throw to store
 * nothing. Throws 404 if the staff member was removed in the meantime.
 */
export async function storeConnection(
  deps: ConnectDeps,
  staff: StaffRow,
  calendar: Calendar,
  connected: Connected,
  options: {
    busyCalendarIds?: string[] | undefined;
    sameKey?: string | null;
    claim?: (tx: Tx) => Promise<void>;
  } = {},
): Promise<StoredConnection> {
  const id = uuidv7(deps.clock.now());
  const { calendarId } = connected;
  const calendarKey = options.sameKey ?? calendarKeyOf(calendar.provider, connected.identity);
  const { before, row, started } = await deps.db.transaction().execute(async (tx) => {
    await options.claim?.(tx);
    // the row lock serializes connections, and keeps one from a staff member who is being removed
    if (!(await updateStaff(tx, staff.account_id, staff.id, {}))) throw staffNotFound();
    const before = await lockConnection(tx, staff.account_id, staff.id);
    const row = await replaceConnection(tx, {
      id,
      account_id: staff.account_id,
      staff_id: staff.id,
      provider: calendar.provider,
      credential: deps.cipher.encrypt(connected.credential, credentialPlace(id)),
      account_email: connected.accountEmail,
      calendar_id: calendarId,
      calendar_key: calendarKey,
      busy_calendar_ids: options.busyCalendarIds ?? busyCalendarsOf(before, { calendarId, calendarKey }),
      last_synced_at: new Date(deps.clock.now()),
    });
    await audit(tx, staff.account_id, 'calendar.connected', staff.id, { provider: calendar.provider });
    const events = [calendarStatusEvent(deps.clock.now(), row, 'connected')];
    return { before, row, started: await publish(deps, tx, events) };
  });
  if (started.length > 0) deps.deliveries.offer(started);
  deps.log.info({ staffId: staff.id, connectionId: id, provider: calendar.provider }, 'calendar.connected');
  if (before && isOtherAccount(before, row)) await revokeUnused(deps, before);
  return row;
}

/** Connects an account by password, or (with `busyCalendarIds` alone) sets which of its calendars block slots. */
export async function putCalendar(
  deps: ConnectDeps,
  staff: StaffRow,
  input: PutCalendarBody,
): Promise<StoredConnection | undefined> {
  const { provider, url, username, password, calendarUrl, busyCalendarIds } = input;
  if (provider === undefined) {
    const problems = accountFieldProblems(input);
    if (problems.length > 0) throw invalidRequest(problems);
    const connection = await openConnection(deps, staff.id);
    await verifyBusyCalendars(deps, connection.calendar, connection.credential, busyCalendarIds ?? []);
    await deps.db.transaction().execute(async (tx) => {
      await setBusyCalendars(tx, connection.id, busyCalendarIds ?? []);
      const count = busyCalendarIds?.length ?? 0;
      await audit(tx, staff.account_id, 'calendar.busy_calendars_set', staff.id, { count });
    });
    return undefined;
  }
  const problems = [...providerProblems(deps, provider), ...missingFields({ url, username, password })];
  if (problems.length > 0 || url === undefined || username === undefined || password === undefined)
    throw invalidRequest(problems);
  const { calendar, signIn } = calendarWithPassword(deps, provider);
  const known = (await knownCalendars(deps.db, staff.account_id, calendar.provider)).map((row) => ({
    credential: deps.cipher.decrypt(row.credential, credentialPlace(row.id)),
    calendarId: row.calendar_id,
    calendarKey: row.calendar_key,
  }));
  const connected = await signIn
    .connect({ url, username, password, calendarUrl, timeZone: staff.timezone, known }, callLimits)
    .catch((error) => {
      throw accountError(error, calendarUrl === undefined ? 'url' : 'calendarUrl');
    });
  if (busyCalendarIds) await verifyBusyCalendars(deps, calendar, connected.credential, busyCalendarIds);
  const sameKey = connected.sameAs === null ? null : (known[connected.sameAs]?.calendarKey ?? null);
  return storeConnection(deps, staff, calendar, connected, { busyCalendarIds, sameKey });
}

/** The configured providers that take a user name and a password. */
const withPassword = ({ calendars }: ConnectDeps): string[] =>
  Object.values(calendars).flatMap((each) => (each.password ? [each.provider] : []));

/** The problem of a provider that does not take a password; none if no configured provider does. */
function providerProblems(deps: ConnectDeps, provider: string): Problem[] {
  const names = withPassword(deps);
  if (names.length === 0 || names.includes(provider)) return [];
  return [{ path: 'provider', message: `must be one of: ${names.join(', ')}` }];
}

const missingFields = (fields: Record<string, string | undefined>): Problem[] =>
  Object.entries(fields).flatMap(([path, value]) =>
    value === undefined ? [{ path, message: 'this field is required' }] : [],
  );

function calendarWithPassword({ calendars }: ConnectDeps, provider: string) {
  const calendar = calendars[provider];
  if (calendar?.password) return { calendar, signIn: calendar.password };
  throw notConfigured('A calendar provider with password sign-in');
}

/** 400 that names the field, for a rejection that the caller can fix. */
function accountError(error: unknown, calendarField: string): unknown {
  if (!(error instanceof VendorError) || error.outcome !== 'rejected') return calendarError(error);
  const field = {
    invalid_grant: 'password',
    address_unusable: 'url',
    calendar_not_found: calendarField,
    calendar_read_only: calendarField,
  }[String(error.code)];
  return field === undefined
    ? calendarError(error)
    : invalidRequest([{ path: field, message: error.message }]);
}

function accountFieldProblems(input: PutCalendarBody): Problem[] {
  return Object.keys(input)
    .filter((path) => path !== 'busyCalendarIds')
    .map((path) => ({ path, message: 'is allowed only together with provider' }));
}

/** Verifies that each calendar can be read: an unreadable one would close every slot. */
async function verifyBusyCalendars(
  deps: ConnectDeps,
  calendar: Calendar,
  credential: string,
  calendarIds: string[],
): Promise<void> {
  const from = deps.clock.now();
  try {
    await calendar.busyTimes(credential, { calendarIds, from, to: from + 60_000 }, callLimits);
  } catch (error) {
    if (error instanceof VendorError && error.code === 'calendar_not_found') {
      throw invalidRequest([{ path: 'busyCalendarIds', message: error.message }]);
    }
    throw calendarError(error);
  }
}

/**
 * Checks whether the connection still works; the result is in the connection's row. Returns the events in the booking
 * window whose times are uncertain, or null if they are unknown.
 */
export async function checkConnection(
  deps: ConnectDeps,
  row: ConnectionRow,
  staff: StaffRow,
): Promise<EventProblem[] | null> {
  const live = liveConnection(deps, row);
  if (!live) return null;
  const from = deps.clock.now();
  const { busyCalendarIds: calendarIds, timeZone } = live;
  const query = { calendarIds, from, timeZone };
  const [problems] = await Promise.all([
    eventProblems(live, { ...query, to: from + (staff.booking_window_days + 1) * dayMs }),
    useCalendar(deps, live, (calendar, credential) =>
      calendar.busyTimes(credential, { ...query, to: from + 60_000 }, { timeoutMs: 5_000 }),
    ).catch(ignoreVendorError),
  ]);
  return problems;
}

/** Events with uncertain times. The window may have many events, so a time-out says nothing about the connection. */
async function eventProblems(live: LiveConnection, query: BusyTimesQuery): Promise<EventProblem[] | null> {
  const { calendar, credential } = live;
  const pending = calendar.eventProblems?.(credential, query, { timeoutMs: 10_000 });
  return (await pending?.catch(ignoreVendorError)) ?? null;
}

/** Ignores a VendorError and rethrows any other error. */
function ignoreVendorError(error: unknown): undefined {
  if (!(error instanceof VendorError)) throw error;
  return undefined;
}

/** After so long without an answer, a calendar may be gone for good. */
const unreachableMs = 15 * 60_000;

/** True if the calendar can tell the outcome of bookings: not dead, configured, and not unreachable for long. */
function canAnswer(deps: ConnectDeps, row: ConnectionRow): boolean {
  const { failure, last_synced_at: answeredAt } = row;
  const isFailing = failure !== null && answeredAt !== null;
  return isAlive(deps, row) && !(isFailing && answeredAt.getTime() + unreachableMs <= deps.clock.now());
}

/**
 * Removes the connection of a staff member within `tx`. 409 while bookings are being written: only this connection can tell their
 * outcome. Returns what to run after the commit, which revokes the authorization unless another connection uses it; undefined
 * without a connection.
 */
export async function removeConnection(
  deps: ConnectDeps,
  tx: Tx,
  accountId: string,
  staffId: string,
): Promise<(() => Promise<void>) | undefined> {
  const row = await lockConnection(tx, accountId, staffId);
  if (!row) return undefined;
  if (canAnswer(deps, row) && (await hasUnfinishedBookings(tx, staffId))) {
    throw new AppError(
      'conflict',
      'Bookings of this staff member are being written to the calendar right now. Try again in a moment.',
      { retryAfterSeconds: 10 },
    );
  }
  await deleteConnection(tx, row.id);
  await audit(tx, accountId, 'calendar.disconnected', staffId, { provider: row.provider });
  // the end of a dead connection was reported when it died
  const events = row.dead_at === null ? [calendarStatusEvent(deps.clock.now(), row, 'disconnected')] : [];
  const started = await publish(deps, tx, events);
  return async () => {
    if (started.length > 0) deps.deliveries.offer(started);
    deps.log.info({ staffId, connectionId: row.id }, 'calendar.removed');
    await revokeUnused(deps, row);
  };
}

/** Removes the connection of a staff member and revokes its authorization, as `removeConnection`. Does nothing without one. */
export async function disconnectCalendar(
  deps: ConnectDeps,
  accountId: string,
  staffId: string,
): Promise<void> {
  const afterCommit = await deps.db
    .transaction()
    .execute((tx) => removeConnection(deps, tx, accountId, staffId));
  await afterCommit?.();
}
