// A booking: its row, its states, and what each state allows. Pure.
import type { Actor } from '../../audit/actor.ts';
import { AppError } from '../../base/errors.ts';
import { type BookingState, bookingState, calendarState } from '../../contract/bookings.ts';
import type { RowOf } from '../../db/db.ts';
import type { StoredAnswer } from './form-answers.ts';

/** Stored values of a pending change. */
export const pendingChange = { cancel: 'cancel', move: 'move' } as const;
export type PendingChange = (typeof pendingChange)[keyof typeof pendingChange];
export type CalendarState = (typeof calendarState)[keyof typeof calendarState];
/** Stored values of what an occupancy is: the booking's current time, or the pending one of a move. */
export const occupancyPart = { current: 'kept', pending: 'wished' } as const;

/** The types of text and JSON columns. */
interface ColumnTypes {
  state: BookingState;
  answers: StoredAnswer[];
  wish: PendingChange | null;
  wish_actor: Actor | null;
  hand: CalendarState;
}

/** A row of `bookings` as statements return it. A column's meaning is in migrations/0003_appointments.sql. */
export type StoredBooking = Omit<RowOf<'bookings'>, keyof ColumnTypes> & ColumnTypes;

/** Columns whose fields have other names: those of the API (`pendingChange`, `calendarState`). */
const fieldNames = {
  wish: 'pending_change',
  wish_no: 'change_no',
  wish_starts_at: 'pending_starts_at',
  wish_ends_at: 'pending_ends_at',
  wish_timezone: 'pending_timezone',
  wish_started_at: 'pending_started_at',
  wish_actor: 'pending_actor',
  hand: 'calendar_state',
  hand_starts_at: 'event_starts_at',
  hand_ends_at: 'event_ends_at',
  hand_conflict: 'event_conflict',
  gone_at: 'event_missing_at',
} as const;
type FieldNames = typeof fieldNames;

/** A booking. `change_no` rises with every change, so that a change based on an older reading is dropped. */
export type BookingRow = {
  [K in keyof StoredBooking as K extends keyof FieldNames ? FieldNames[K] : K]: StoredBooking[K];
};

const nameOf = (column: string): string => fieldNames[column as keyof FieldNames] ?? column;

/** A stored row with its fields' names. */
export function bookingRow(stored: StoredBooking): BookingRow {
  const row: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(stored)) row[nameOf(column)] = value;
  return row as BookingRow;
}

/** The text of a booking's event, which the staff member and the guest see. */
export function eventText(row: BookingRow, staffName: string): { summary: string; description: string } {
  const guest = row.name ?? row.email;
  const lines = [
    `${guest} with ${staffName}`,
    `Email: ${row.email}`,
    `Phone: ${row.phone_number}`,
    ...row.answers.map(({ question, answer }) => `${question} ${answer}`),
    `Booking ${row.id} (${row.source})`,
  ];
  return { summary: `${guest} – ${staffName}`, description: lines.join('\n') };
}

/** The next step of an unfinished booking; `none` if it is finished. */
export type Task = 'recover' | 'compensate' | 'cancel' | 'move' | 'none';

/** The next step of a booking that is due. */
export function taskFor(row: Pick<BookingRow, 'state' | 'pending_change'>): Task {
  if (row.state === bookingState.held) return 'recover';
  if (row.state === bookingState.compensating) return 'compensate';
  if (row.state === bookingState.confirmed && row.pending_change !== null) return row.pending_change;
  return 'none';
}

/** The delay in milliseconds before the next attempt, after `attempts` failed ones. */
export function retryDelayMs(attempts: number): number {
  return Math.min(30_000, 1_000 * 2 ** Math.min(Math.max(attempts - 1, 0), 5));
}

/** 404 for a booking that the account does not have. */
export function bookingNotFound(): AppError {
  return new AppError('booking_not_found', 'There is no such booking in this account.');
}

/** 409 for a change that the booking's state does not allow, or not yet. */
export function notChangeable(why: string, retryAfterSeconds?: number): AppError {
  return new AppError(
    'booking_not_changeable',
    why,
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
}

/** When a change in progress has usually ended. */
export const changeRetrySeconds = 5;

/** True if the booking and its event have exactly that time, and no change is pending. */
export function isAt(row: BookingRow, { startsAt, endsAt }: { startsAt: Date; endsAt: Date }): boolean {
  if (row.pending_change !== null || row.calendar_state !== calendarState.inStep) return false;
  return row.starts_at.getTime() === startsAt.getTime() && row.ends_at.getTime() === endsAt.getTime();
}

/** True once the appointment has ended, by the last known time of its event. */
export function isOver(row: Pick<BookingRow, 'ends_at' | 'event_ends_at'>, now: number): boolean {
  return (row.event_ends_at ?? row.ends_at).getTime() <= now;
}

/** Throws 409 unless the booking may be cancelled or moved at `now`. */
export function checkChangeable(row: BookingRow, now: number): void {
  switch (row.state) {
    case bookingState.confirmed:
      if (!isOver(row, now)) return;
      throw notChangeable('This booking has ended and cannot be changed.');
    case bookingState.held:
      throw notChangeable('This booking is still being created. Try again in a moment.', changeRetrySeconds);
    case bookingState.cancelled:
      throw notChangeable('This booking is cancelled, so it cannot be changed. Book again.');
    default:
      throw notChangeable('This booking was not completed, so it cannot be changed.');
  }
}

/** How long a request or a worker holds a booking's lease; longer than the time-out of any request. */
export const leaseMs = 45_000;
/** How long a request waits for the calendar before it answers 503. */
export const requestTimeoutMs = 15_000;
