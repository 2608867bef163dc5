// A booking: its row, its states, and what each state allows. Pure.
import { AppError } from '../../base/errors.ts';
import type { BookingState } from '../../contract/bookings.ts';
import type { StoredAnswer } from './form-answers.ts';

export interface BookingRow {
  id: string;
  account_id: string;
  staff_id: string;
  state: BookingState;
  starts_at: Date;
  ends_at: Date;
  timezone: string;
  email: string;
  phone_number: string;
  name: string | null;
  source: string;
  answers: StoredAnswer[];
  /** Null: the booking lives in the gateway alone. */
  provider: string | null;
  calendar_id: string | null;
  /** Which calendar that is among all; null: not known. */
  calendar_key: string | null;
  event_id: string | null;
  event_generation: number;
  event_link: string | null;
  meeting_link: string | null;
  fallback_link: string;
  insert_started_at: Date | null;
  removed_once: boolean;
  wish: 'cancel' | 'move' | null;
  wish_no: number;
  wish_starts_at: Date | null;
  wish_ends_at: Date | null;
  wish_timezone: string | null;
  wish_started_at: Date | null;
  cancel_reason: string | null;
  cancelled_at: Date | null;
  hand: 'in_step' | 'moved' | 'deleted';
  hand_starts_at: Date | null;
  hand_ends_at: Date | null;
  hand_conflict: boolean;
  /** When the event was first found gone, while the booking is to be cancelled for it. */
  gone_at: Date | null;
  due_at: Date | null;
  attempts: number;
  created_at: Date;
}

/** What the event of a booking says to those who see it: the staff member and the guest. */
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

/** What is to be done so that a booking rests; `none`: it does. */
export type Task = 'recover' | 'undo' | 'take_out' | 'move' | 'none';

/** The task of a booking that is due, as the worker finds it. */
export function taskFor(row: Pick<BookingRow, 'state' | 'wish'>): Task {
  if (row.state === 'held') return 'recover';
  if (row.state === 'undoing') return 'undo';
  if (row.state === 'confirmed' && row.wish !== null) return row.wish === 'cancel' ? 'take_out' : 'move';
  return 'none';
}

/** Milliseconds until a booking is looked at again after `attempts` looks that settled nothing. */
export function retryDelayMs(attempts: number): number {
  return Math.min(30_000, 1_000 * 2 ** Math.min(Math.max(attempts - 1, 0), 5));
}

/** 404 for a booking that the account does not have. */
export function bookingNotFound(): AppError {
  return new AppError('booking_not_found', 'There is no such booking in this account.');
}

/** 409 for a change that the booking's state does not allow. */
export function notChangeable(why: string): AppError {
  return new AppError('booking_not_changeable', why);
}

/** True if the booking has exactly that time, its event too as far as is known, and nothing else is wanted of it. */
export function isAt(row: BookingRow, { startsAt, endsAt }: { startsAt: Date; endsAt: Date }): boolean {
  if (row.wish !== null || row.hand !== 'in_step') return false;
  return row.starts_at.getTime() === startsAt.getTime() && row.ends_at.getTime() === endsAt.getTime();
}

/** True once the appointment has ended, by the time of its event as it was read last. */
export function isOver(row: Pick<BookingRow, 'ends_at' | 'hand_ends_at'>, now: number): boolean {
  return (row.hand_ends_at ?? row.ends_at).getTime() <= now;
}

/** Throws 409 unless the booking may be cancelled or moved at `now`. */
export function checkChangeable(row: BookingRow, now: number): void {
  switch (row.state) {
    case 'confirmed':
      if (!isOver(row, now)) return;
      throw notChangeable('This booking lies in the past.');
    case 'held':
      throw notChangeable('This booking is still being made. Try again in a moment.');
    case 'cancelled':
      throw notChangeable('This booking was cancelled.');
    default:
      throw notChangeable('This booking came to nothing; there is nothing to change.');
  }
}

/** How long a request or a worker holds a booking's lease; longer than the time-out of any request. */
export const leaseMs = 45_000;
/** How long a request waits for the calendar before it answers 503. */
export const requestTimeoutMs = 15_000;
