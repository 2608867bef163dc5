// Holds slots: one transaction decides all concurrent requests, first come first served.

import { AppError } from '../../base/errors.ts';
import { calendarNeed } from '../../contract/directory.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { RequestKey } from '../../db/idempotency-keys.ts';
import { batch } from '../../work/batch.ts';
import type { InFlight } from '../../work/in-flight.ts';
import type { LiveConnection } from '../calendar/connection.ts';
import { staffNotFound } from '../directory/staff.ts';
import type { RequestedDate } from '../slots/available.ts';
import { freeStarts, occupiedRange, type Taken } from '../slots/engine.ts';
import { type DayQuery, dayKey, type ReadStaffDays, type StaffDay } from '../slots/staff-days.ts';
import type { Interval } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';
import { leaseMs } from './booking.ts';
import { insertHolds, type KeyedHold, type NewHold } from './holds-store.ts';
import { tryLockStaffBookings } from './locks-store.ts';

/** A new hold and the calendar connection for its event. */
export interface PreparedHold {
  hold: NewHold;
  connection: LiveConnection | undefined;
}

export interface HoldRequest {
  day: DayQuery;
  requested: RequestedDate;
  /** Epoch milliseconds. */
  start: number;
  key: RequestKey;
  /** Prepares the hold from what was read under the lock. A thrown AppError becomes the outcome. */
  prepare(day: StaffDay): PreparedHold;
}

export type HoldOutcome =
  | { kind: 'held'; row: BookingRow; connection: LiveConnection | undefined }
  /** The slot is taken; `taken` has all taken times. */
  | { kind: 'taken'; taken: Taken }
  /** Another request with the same key is in progress. */
  | { kind: 'duplicate_key' }
  /** Another transaction holds the lock of the staff member or the calendar. */
  | { kind: 'locked' }
  | { kind: 'rejected'; error: AppError };

export type HoldSlot = (request: HoldRequest) => Promise<HoldOutcome>;

const requestsPerTransaction = 250;

/** Opens slot holds for one process. Requests that arrive during a transaction are decided by the next one. */
export function openHoldSlot(
  deps: { hot: Db; readDays: ReadStaffDays; appointmentsInFlight: InFlight },
  gapMs: number,
): HoldSlot {
  const { hot, readDays, appointmentsInFlight: inFlight } = deps;
  const run = (requests: HoldRequest[]) =>
    hot.transaction().execute((tx) => decideAll(tx, readDays, requests));
  return batch(run, { gapMs, max: requestsPerTransaction, inFlight, key: ({ day }) => day.staffId });
}

/** The times that winning requests of this transaction take from a staff member or calendar. */
interface Won {
  busy: Interval[];
  starts: number[];
}

async function decideAll(tx: Tx, readDays: ReadStaffDays, requests: HoldRequest[]): Promise<HoldOutcome[]> {
  const locked = await tryLockStaffBookings(tx, [...new Set(requests.map(({ day }) => day.staffId))]);
  // a separate statement after the locks, so that its snapshot sees what earlier holders of the locks wrote
  const days = await readLocked(
    tx,
    readDays,
    requests.map(({ day }) => day).filter(({ staffId }) => locked.has(staffId)),
  );
  const outcomes = new Map<HoldRequest, HoldOutcome>();
  for (let open = requests; open.length > 0; ) {
    const winners = new Map<HoldRequest, PreparedHold>();
    const held = outcomesOf(outcomes, 'held');
    const won = new Map<string, Won>();
    for (const request of held) take(won, request, locked.get(request.day.staffId));
    const keys = new Set(held.map(keyName));
    for (const request of open) {
      const outcome = decide(request, { locked, days, won, keys });
      if ('hold' in outcome) winners.set(request, outcome);
      else outcomes.set(request, outcome);
    }
    const rows = await insertAll(tx, winners);
    for (const [request, { hold, connection }] of winners) {
      const row = rows.get(hold.id);
      outcomes.set(request, row ? { kind: 'held', row, connection } : { kind: 'duplicate_key' });
    }
    // a winner whose key another request holds gets nothing, so the slot may be free for the next request
    open = rows.size === winners.size ? [] : outcomesOf(outcomes, 'taken');
  }
  return requests.map((request) => outcomes.get(request) ?? { kind: 'locked' });
}

const keyName = ({ key }: HoldRequest) => `${key.accountId}/${key.operation}/${key.key}`;

const outcomesOf = (outcomes: Map<HoldRequest, HoldOutcome>, kind: HoldOutcome['kind']): HoldRequest[] =>
  [...outcomes].filter(([, outcome]) => outcome.kind === kind).map(([request]) => request);

async function readLocked(
  tx: Tx,
  readDays: ReadStaffDays,
  queries: DayQuery[],
): Promise<Map<string, StaffDay>> {
  const distinct = new Map(queries.map((query) => [dayKey(query), query]));
  if (distinct.size === 0) return new Map();
  const days = await readDays(tx, [...distinct.values()], { lock: true });
  return new Map([...distinct.keys()].flatMap((key, index) => (days[index] ? [[key, days[index]]] : [])));
}

function decide(
  request: HoldRequest,
  by: {
    locked: ReadonlyMap<string, string | null>;
    days: ReadonlyMap<string, StaffDay>;
    won: Map<string, Won>;
    keys: Set<string>;
  },
): HoldOutcome | PreparedHold {
  const { requested, start } = request;
  const day = by.locked.has(request.day.staffId) ? by.days.get(dayKey(request.day)) : undefined;
  const calendarKey = by.locked.get(request.day.staffId) ?? null;
  // the connection was replaced in the meantime, and its new calendar is not locked
  if (!day || calendarKeyOfDay(day) !== calendarKey) return { kind: 'locked' };
  if (!day.staff.active) return { kind: 'rejected', error: staffNotFound() };
  if (by.keys.has(keyName(request))) return { kind: 'duplicate_key' };
  const mine = by.won.get(request.day.staffId);
  const shared = calendarKey === null ? undefined : by.won.get(calendarKey);
  const taken = {
    busy: day.busy.concat(mine?.busy ?? [], shared?.busy ?? []),
    bookedStarts: day.bookedStarts.concat(mine?.starts ?? []),
    moves: day.moves,
  };
  if (freeStarts(requested.terms, [start], taken).length === 0) return { kind: 'taken', taken };
  try {
    const prepared = request.prepare(day);
    take(by.won, request, calendarKey);
    by.keys.add(keyName(request));
    return prepared;
  } catch (error) {
    if (error instanceof AppError) return { kind: 'rejected', error };
    throw error;
  }
}

const calendarKeyOfDay = ({ staff, connection }: StaffDay): string | null =>
  staff.calendar === calendarNeed.none ? null : (connection?.calendar_key ?? null);

function take(
  won: Map<string, Won>,
  { day, requested, start }: HoldRequest,
  calendarKey: string | null = null,
): void {
  for (const of of calendarKey === null ? [day.staffId] : [day.staffId, calendarKey]) {
    const taken = won.get(of) ?? { busy: [], starts: [] };
    taken.busy.push(occupiedRange(requested.terms, start));
    taken.starts.push(start);
    won.set(of, taken);
  }
}

async function insertAll(
  tx: Tx,
  winners: ReadonlyMap<HoldRequest, PreparedHold>,
): Promise<Map<string, BookingRow>> {
  if (winners.size === 0) return new Map();
  const holds: KeyedHold[] = [...winners].map(([{ requested, start, key }, { hold }]) => ({
    hold,
    key,
    occupied: occupiedRange(requested.terms, start),
  }));
  return insertHolds(tx, holds, leaseMs);
}
