// Open slots of a date: the engine's candidates without the times that bookings occupy or the calendars show as busy now.

import type { Clock } from '../../base/clock.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { zoneName } from '../../base/time-zones.ts';
import { calendarNeed } from '../../contract/directory.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { BusyTimes } from '../calendar/busy-times.ts';
import {
  type CalendarDeps,
  calendarError,
  isAlive,
  type LiveConnection,
  liveConnection,
  notUsable,
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
import { termsOf } from './schedule.ts';
import type { StaffDay } from './staff-days.ts';
import { countedStarts, type SlotStaff } from './staff-days-store.ts';
import { bookedStartsWithin, occupiedWithin } from './store.ts';
import { dayMs, dayOfDate, type Interval } from './wall-time.ts';

export type SlotsDeps = CalendarDeps & { clock: Clock; busyTimes: BusyTimes };

/** A requested date of a staff member, with the slots that the schedule offers on it, whether busy or not. */
export interface RequestedDate {
  staff: SlotStaff;
  terms: Terms;
  date: string;
  timezone: string;
  /** Epoch milliseconds, in order. */
  candidates: number[];
}

/** Checks `date` and `timezone` (default: the staff member's zone), and finds the offered slots. Throws 400 for an invalid one. */
export function requestedDate(
  deps: { clock: Clock },
  staff: SlotStaff,
  query: { date: string; timezone?: string | null | undefined },
  terms = termsOf(staff),
): RequestedDate {
  const day = dayOfDate(query.date);
  const timezone = typeof query.timezone === 'string' ? zoneName(query.timezone) : terms.timezone;
  if (day === undefined || timezone === undefined) {
    throw invalidRequest([
      ...(day === undefined
        ? [{ path: 'date', message: 'is not a valid date; write it as YYYY-MM-DD' }]
        : []),
      ...(timezone === undefined
        ? [{ path: 'timezone', message: 'is not an IANA time zone, for example Europe/Berlin' }]
        : []),
    ]);
  }
  const candidates = candidateStarts(terms, { day, timezone, now: deps.clock.now() });
  return { staff, terms, date: query.date, timezone, candidates };
}

/** The span that the candidates would occupy, from the first to the last; undefined without candidates. */
export function occupiedSpan({ terms, candidates }: RequestedDate): Interval | undefined {
  const first = candidates[0];
  const last = candidates.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return { from: occupiedRange(terms, first).from, to: occupiedRange(terms, last).to };
}

/** What bookings take of the date; the booking `except` does not count. */
export async function takenByBookings(
  db: Db | Tx,
  requested: RequestedDate,
  except?: string,
): Promise<Taken> {
  const span = occupiedSpan(requested);
  if (!span) return { busy: [], bookedStarts: [] };
  const { staff, terms } = requested;
  const busy = await occupiedWithin(db, { accountId: staff.account_id, staffId: staff.id, except }, span);
  const around = { from: span.from - 2 * dayMs, to: span.to + 2 * dayMs };
  const booked =
    terms.dailyLimit === null ? [] : await bookedStartsWithin(db, { staffId: staff.id, except }, around);
  return {
    busy,
    ...countedStarts(
      booked.map(({ start }) => start),
      booked.map(({ pending }) => pending),
    ),
  };
}

/**
 * The open slots of a date, in order. Throws 409 `calendar_not_connected` if a required calendar is not connected, and
 * 502 or 503 if the calendar cannot be read within `waitMs`.
 */
export async function availableSlots(
  deps: SlotsDeps,
  requested: RequestedDate,
  day: StaffDay,
  waitMs?: number,
): Promise<Slot[]> {
  const { terms, candidates, timezone } = requested;
  const connection = connectionOf(deps, day);
  const span = occupiedSpan(requested);
  if (!span) return [];
  const open = freeStarts(terms, candidates, day);
  if (!connection || open.length === 0) return slotsAt(terms, open, timezone);
  try {
    const busy = await deps.busyTimes.read(connection, span, waitMs);
    return slotsAt(terms, freeStarts(terms, open, { busy, bookedStarts: [] }), timezone);
  } catch (error) {
    throw calendarError(error);
  }
}

/** Throws 409 `calendar_not_connected` for a staff member who needs an active connection and has none. */
export function checkConnected(
  deps: CalendarDeps,
  { staff, connection }: Pick<StaffDay, 'staff' | 'connection'>,
): void {
  if (staff.calendar === calendarNeed.none || (connection && isAlive(deps, connection))) return;
  throw notUsable(deps, connection);
}

/** The active connection of a staff member; undefined if none is needed. Throws 409 if one is needed and missing. */
export function connectionOf(
  deps: CalendarDeps,
  { staff, connection }: Pick<StaffDay, 'staff' | 'connection'>,
): LiveConnection | undefined {
  if (staff.calendar === calendarNeed.none) return undefined;
  const live = connection && liveConnection(deps, connection);
  if (!live) throw notUsable(deps, connection);
  return live;
}

/**
 * 409 `slot_unavailable` with up to three alternatives: the open slots of the date nearest to the wanted time (epoch
 * milliseconds), by the last known busy times. `slot`: the slot that is not open. `near`: a time that is not a slot.
 */
export function slotUnavailable(
  deps: Pick<SlotsDeps, 'busyTimes'>,
  requested: RequestedDate,
  taken: Taken,
  wanted: { slot: number } | { near: number | undefined },
  why: string,
): AppError {
  const { staff, terms, candidates, timezone } = requested;
  const span = occupiedSpan(requested);
  const busy = !span
    ? []
    : staff.calendar === calendarNeed.none
      ? []
      : deps.busyTimes.lastKnown(staff.id, span);
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
