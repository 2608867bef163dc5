// Which slots are open now: the engine's candidates, less what bookings occupy and what the calendars say at this moment.
import type { Clock } from '../../base/clock.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { BusyTimes } from '../calendar/busy-times.ts';
import {
  type CalendarDeps,
  calendarError,
  isAlive,
  type LiveConnection,
  liveConnection,
  notConnected,
} from '../calendar/connection.ts';
import {
  candidateStarts,
  freeStarts,
  occupiedRange,
  type Slot,
  slotsAt,
  type Taken,
  type Terms,
} from './engine.ts';
import type { ReadStaff } from './reading-store.ts';
import type { Reading } from './readings.ts';
import { termsOf } from './schedule.ts';
import { bookedStartsWithin, occupiedWithin } from './store.ts';
import { dayMs, dayOfDate, type Interval, zoneName } from './wall-time.ts';

export type SlotsDeps = CalendarDeps & { clock: Clock; busyTimes: BusyTimes };

/** A date of a staff member, as somebody asks for it: what the schedule allows on it, before looking at what is busy. */
export interface AskedDate {
  staff: ReadStaff;
  terms: Terms;
  date: string;
  timezone: string;
  /** Epoch milliseconds, in order. */
  candidates: number[];
}

/** Reads `date` and `timezone` (default: the staff member's own); 400 for a date or zone that does not exist. */
export function askedDate(
  deps: { clock: Clock },
  staff: ReadStaff,
  asked: { date: string; timezone?: string | null | undefined },
  terms = termsOf(staff),
): AskedDate {
  const day = dayOfDate(asked.date);
  const timezone = typeof asked.timezone === 'string' ? zoneName(asked.timezone) : terms.timezone;
  if (day === undefined || timezone === undefined) {
    throw invalidRequest([
      ...(day === undefined
        ? [{ path: 'date', message: 'is no date of the calendar; write it as YYYY-MM-DD' }]
        : []),
      ...(timezone === undefined
        ? [{ path: 'timezone', message: 'is no IANA time zone, such as Europe/Berlin' }]
        : []),
    ]);
  }
  const candidates = candidateStarts(terms, { day, timezone, now: deps.clock.now() });
  return { staff, terms, date: asked.date, timezone, candidates };
}

/** What all candidates of the date would occupy, from the first to the last; undefined if there are none. */
export function reachOf({ terms, candidates }: AskedDate): Interval | undefined {
  const first = candidates[0];
  const last = candidates.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return { from: occupiedRange(terms, first).from, to: occupiedRange(terms, last).to };
}

/** What our own bookings take of the date; `except` is a booking that does not count. */
export async function takenByBookings(db: Db | Tx, asked: AskedDate, except?: string): Promise<Taken> {
  const reach = reachOf(asked);
  if (!reach) return { busy: [], bookedStarts: [] };
  const { staff, terms } = asked;
  const busy = await occupiedWithin(db, { accountId: staff.account_id, staffId: staff.id, except }, reach);
  const around = { from: reach.from - 2 * dayMs, to: reach.to + 2 * dayMs };
  const bookedStarts =
    terms.dailyLimit === null ? [] : await bookedStartsWithin(db, { staffId: staff.id, except }, around);
  return { busy, bookedStarts };
}

/**
 * The open slots of a date, in order, by a reading of it. 409 `calendar_not_connected` where a calendar is needed and
 * there is none; 502 or 503 where it could not be asked within `waitMs`: never a guess.
 */
export async function availableSlots(
  deps: SlotsDeps,
  asked: AskedDate,
  reading: Reading,
  waitMs?: number,
): Promise<Slot[]> {
  const { terms, candidates, timezone } = asked;
  const connection = connectionOf(deps, reading);
  const reach = reachOf(asked);
  if (!reach) return [];
  const open = freeStarts(terms, candidates, reading);
  if (!connection || open.length === 0) return slotsAt(terms, open, timezone);
  try {
    const busy = await deps.busyTimes.ask(connection, reach, waitMs);
    return slotsAt(terms, freeStarts(terms, open, { busy, bookedStarts: [] }), timezone);
  } catch (error) {
    throw calendarError(error);
  }
}

/** 409 `calendar_not_connected` for a staff member who needs an active connection and has none. */
export function checkConnected(
  deps: CalendarDeps,
  { staff, connection }: Pick<Reading, 'staff' | 'connection'>,
): void {
  if (staff.calendar === 'none' || (connection && isAlive(deps, connection))) return;
  throw notConnected(connection?.failure ?? undefined);
}

/** The active connection of a staff member who needs one, 409 without; undefined for one who needs none. */
export function connectionOf(
  deps: CalendarDeps,
  { staff, connection }: Pick<Reading, 'staff' | 'connection'>,
): LiveConnection | undefined {
  if (staff.calendar === 'none') return undefined;
  const live = connection && liveConnection(deps, connection);
  if (!live) throw notConnected(connection?.failure ?? undefined);
  return live;
}

/**
 * 409 `slot_unavailable` with up to three open slots of the date nearest to what was wanted (epoch milliseconds), as
 * far as they can be told without asking the calendar again. `near` is no slot; `slot` is the one that is not open.
 */
export function slotUnavailable(
  deps: Pick<SlotsDeps, 'busyTimes'>,
  asked: AskedDate,
  taken: Taken,
  wanted: { slot: number } | { near: number | undefined },
  why: string,
): AppError {
  const { staff, terms, candidates, timezone } = asked;
  const reach = reachOf(asked);
  const busy = !reach ? [] : staff.calendar === 'none' ? [] : deps.busyTimes.lastKnown(staff.id, reach);
  const open = busy ? freeStarts(terms, candidates, { ...taken, busy: [...taken.busy, ...busy] }) : [];
  const near = ('slot' in wanted ? wanted.slot : wanted.near) ?? candidates[0] ?? 0;
  const nearest = open
    .filter((start) => !('slot' in wanted) || start !== wanted.slot)
    .sort((a, b) => Math.abs(a - near) - Math.abs(b - near))
    .slice(0, 3)
    .sort((a, b) => a - b);
  return new AppError('slot_unavailable', why, {
    extra: { alternatives: slotsAt(terms, nearest, timezone) },
  });
}
