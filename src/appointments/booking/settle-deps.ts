// What settling bookings uses, and the small steps that every way of settling shares.

import { uuidv7 } from '../../base/ids.ts';
import type { BookingChangedBy } from '../../contract/bookings.ts';
import type { Tx } from '../../db/db.ts';
import { retryTransient } from '../../db/failure.ts';
import { storeKeyAnswer } from '../../db/idempotency-keys.ts';
import { ok } from '../../http/reply.ts';
import type { Calendar, CallLimits } from '../../ports/calendar.ts';
import { type EventToPublish, eventBody, publish } from '../../webhooks/publish.ts';
import { type LiveConnection, liveConnection } from '../calendar/connection.ts';
import { findConnection } from '../calendar/store.ts';
import type { SlotsDeps } from '../slots/available.ts';
import { type BookingRow, bookAnswer, bookingItem } from './booking.ts';

export type SettleDeps = SlotsDeps & { webhookTimeoutMs: number };

/** How long whoever settles a booking has it for itself; longer than any request's whole time. */
export const leaseMs = 45_000;
/** How long a request tries to bring the calendar in step before it answers 503. */
export const requestMs = 15_000;

/** The time that is left until `deadline` (of `clock.steady()`) as a call's limits, `maxMs` at most. */
export function limitsUntil(deps: SettleDeps, deadline: number, maxMs = requestMs): CallLimits {
  return { timeoutMs: Math.max(1, Math.min(maxMs, deadline - deps.clock.steady())) };
}

/**
 * How a booking's calendar can be reached: by a living connection, not now (dead), or never again (none: disconnected,
 * or another calendar took its place).
 */
export async function reachCalendar(
  deps: SettleDeps,
  row: Pick<BookingRow, 'staff_id' | 'provider' | 'calendar_key'>,
): Promise<LiveConnection | 'dead' | 'none'> {
  const connection = await findConnection(deps.db, row.staff_id);
  if (connection?.provider !== row.provider) return 'none';
  const keys = [row.calendar_key, connection.calendar_key];
  if (!keys.includes(null) && keys[0] !== keys[1]) return 'none';
  return liveConnection(deps, connection) ?? 'dead';
}

/** The event of a booking, as the calendar knows it. */
export function eventRef(row: BookingRow, calendar: Calendar): { calendarId: string; eventId: string } {
  return {
    calendarId: row.calendar_id ?? '',
    eventId: row.event_id ?? calendar.eventIdFor(row.id, row.event_generation),
  };
}

type BookingEvent = 'appointments.booked' | 'appointments.cancelled' | 'appointments.rescheduled';

/** The event that tells receivers how a booking is at `now`; `by`: who changed it. */
export function eventOf(
  kind: BookingEvent,
  now: number,
  row: BookingRow,
  by?: BookingChangedBy,
): EventToPublish {
  return {
    accountId: row.account_id,
    subjectId: uuidv7(now),
    stage: 0,
    kind,
    messageId: null,
    body: eventBody(kind, now, { ...bookingItem(row), by }),
  };
}

/** The exact bytes that a booking's request is answered with, now and whenever it is repeated. */
export function answerOf(row: BookingRow): string {
  return JSON.stringify(ok('The appointment is booked.', bookAnswer(row)));
}

/** The operations that change a booking, as idempotency keys name them. */
export type ChangeOperation = 'cancel' | 'reschedule';

const changeMessages: Record<ChangeOperation, string> = {
  cancel: 'The booking is cancelled.',
  reschedule: 'The booking has the requested time.',
};

/** The exact bytes that a change's request is answered with, now and whenever it is repeated. */
export function changeAnswerOf(operation: ChangeOperation, row: BookingRow): string {
  return JSON.stringify(ok(changeMessages[operation], bookingItem(row)));
}

/**
 * Stores the answer of a finished change for every key that asked for it, in the transaction that finishes it. A booking
 * has unanswered keys only for its pending change: one that gives way to another frees its keys.
 */
export async function storeChangeAnswer(tx: Tx, operation: ChangeOperation, row: BookingRow): Promise<void> {
  const answer = { status: 200, body: changeAnswerOf(operation, row) };
  await storeKeyAnswer(tx, row.id, answer);
}

/**
 * Runs a transaction that ends with a booking's event being published, then hands the deliveries on. `change` answers
 * the booking as it is now, or undefined where nothing was changed: then nothing is published.
 */
export async function withEvent(
  deps: SettleDeps,
  kind: BookingEvent,
  by: BookingChangedBy,
  change: (tx: Tx) => Promise<BookingRow | undefined>,
): Promise<BookingRow | undefined> {
  let row: BookingRow | undefined;
  await withEvents(deps, async (tx) => {
    row = await change(tx);
    return row ? [eventOf(kind, deps.clock.now(), row, by)] : [];
  });
  if (row)
    deps.log.info(
      { bookingId: row.id, staffId: row.staff_id, state: row.state, kind, by },
      'booking.settled',
    );
  return row;
}

/** Runs a transaction that ends with the events that `change` answers being published, then hands the deliveries on. */
export async function withEvents(
  deps: SettleDeps,
  change: (tx: Tx) => Promise<EventToPublish[]>,
): Promise<void> {
  const started = await retryTransient(() =>
    deps.db.transaction().execute(async (tx) => publish(deps, tx, await change(tx))),
  );
  if (started.length > 0) deps.deliveries.offer(started);
}
