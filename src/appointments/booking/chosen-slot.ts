// The slot that a request names by `date`, `from` and `to`, and the errors if it is not open.
import { AppError } from '../../base/errors.ts';
import { zoneSpans } from '../../base/time-zones.ts';
import { isLockTimeout, retryTransient, violates } from '../../db/failure.ts';
import { type RequestedDate, type SlotsDeps, slotUnavailable, takenByBookings } from '../slots/available.ts';
import { freeStarts, startShownAs, type Taken } from '../slots/engine.ts';
import {
  dayMs,
  dayOfDate,
  isRepeat,
  localText,
  minuteMs,
  minuteOfClock,
  offsetAt,
} from '../slots/wall-time.ts';

/** The start (epoch milliseconds) of the named slot; 409 `slot_unavailable` if it is not offered, or taken by `taken`. */
export function chosenStart(
  deps: Pick<SlotsDeps, 'busyTimes'>,
  requested: RequestedDate,
  named: { from: string; to: string },
  taken: Taken,
): number {
  const start = startShownAs(requested.terms, requested.candidates, requested.timezone, named);
  if (start === undefined) {
    throw slotUnavailable(
      deps,
      requested,
      taken,
      { near: nearInstant(requested, named.from) },
      `${requested.date} ${named.from} to ${named.to} is not an offered slot. Choose one that available-slots returns.`,
    );
  }
  if (freeStarts(requested.terms, [start], taken).length === 0)
    throw slotTaken(deps, requested, taken, start);
  return start;
}

/** True if `date`, `from` and `to` name that time. An ambiguous local time means the earlier instant. */
export function namesTime(
  { date, timezone }: RequestedDate,
  named: { from: string; to: string },
  { startsAt, endsAt }: { startsAt: Date; endsAt: Date },
): boolean {
  const start = startsAt.getTime();
  const starts = localText(timezone, start);
  if (starts.date !== date || starts.clock !== named.from) return false;
  if (localText(timezone, endsAt.getTime()).clock !== named.to) return false;
  return !isRepeat(zoneSpans(timezone, start - 2 * dayMs, start + 1), start);
}

/** 409 `slot_unavailable` for an offered slot that has been taken. */
export function slotTaken(
  deps: Pick<SlotsDeps, 'busyTimes'>,
  requested: RequestedDate,
  taken: Taken,
  start: number,
): AppError {
  return slotUnavailable(
    deps,
    requested,
    taken,
    { slot: start },
    'That slot is no longer open. Choose another one.',
  );
}

/** The instant of a local time that is not a slot, to find alternatives near it. A time that a clock change skips moves forward. */
function nearInstant({ date, timezone }: RequestedDate, from: string): number | undefined {
  const day = dayOfDate(date);
  if (day === undefined || !/^\d{2}:\d{2}$/.test(from)) return undefined;
  const local = day * dayMs + minuteOfClock(from) * minuteMs;
  const spans = zoneSpans(timezone, local - 2 * dayMs, local + 2 * dayMs);
  return local - offsetAt(spans, local - offsetAt(spans, local));
}

/** Runs a transaction that occupies time, and retries transient failures. Throws 409 if another booking took the time first. */
export async function withReservationErrors<T>(
  deps: SlotsDeps,
  requested: RequestedDate,
  start: number,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await retryTransient(run);
  } catch (error) {
    if (violates(error, 'occupancies_apart') || violates(error, 'occupancies_calendar_apart')) {
      throw slotTaken(deps, requested, await takenByBookings(deps.db, requested), start);
    }
    if (isLockTimeout(error)) throw tooManyConcurrentBookings(error);
    throw error;
  }
}

/** 409 for a booking that waited too long for other bookings of the same staff member. */
export function tooManyConcurrentBookings(cause?: unknown): AppError {
  const why = 'Too many concurrent bookings for this staff member. Try again in a moment.';
  return new AppError('conflict', why, { retryAfterSeconds: 1, ...(cause ? { cause } : {}) });
}
