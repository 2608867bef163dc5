// Booking reconciler: finishes bookings, pending changes and compensations whose request or worker died.
import { bookingState } from '../../contract/bookings.ts';
import { notConnected, useCalendar } from '../calendar/connection.ts';
import { applyCancel, applyMove } from './apply-change.ts';
import { type BookingRow, leaseMs, requestTimeoutMs, retryDelayMs, type Task, taskFor } from './booking.ts';
import { findBookingConnection, findEvent, limitsUntil } from './booking-calendar.ts';
import { claimDue, claimExpiredLease, postpone } from './bookings-store.ts';
import { compensate } from './compensate.ts';
import { type CreateEventDeps, discardHold, finishBooking } from './create-event.ts';
import { startCompensation } from './holds-store.ts';
import { traceStep } from './traced-steps.ts';

const bookingsAtOnce = 20;

/** Reconciles due bookings and returns how many there were. */
export async function reconcileDue(deps: CreateEventDeps): Promise<number> {
  const rows = await claimDue(deps.db, bookingsAtOnce, leaseMs);
  await Promise.all(rows.map((row) => reconcile(deps, row)));
  return rows.length;
}

/** Reconciles one booking whose lease has expired; does nothing while it is leased. */
export async function reconcileExpired(deps: CreateEventDeps, bookingId: string): Promise<void> {
  const row = await claimExpiredLease(deps.db, bookingId, leaseMs);
  if (row) await reconcile(deps, row);
}

/** Takes the next step of a leased booking. A failure is logged, and the booking becomes due again later. */
async function reconcile(deps: CreateEventDeps, row: BookingRow): Promise<void> {
  const deadline = deps.clock.steady() + requestTimeoutMs;
  const task = taskFor(row);
  const span = { bookingId: row.id, name: `reconcile: ${task}`, kind: 'internal' } as const;
  try {
    await traceStep(deps, span, () => carryOut(deps, task, row, deadline));
  } catch (error) {
    deps.log.warn({ err: error, bookingId: row.id, attempts: row.attempts }, 'booking.reconcile_failed');
    await postpone(deps.db, row.id, retryDelayMs(row.attempts));
  }
}

async function carryOut(deps: CreateEventDeps, task: Task, row: BookingRow, deadline: number): Promise<void> {
  switch (task) {
    case 'recover':
      return await recover(deps, row, deadline);
    case 'compensate':
      return void (await compensate(deps, row, deadline));
    case 'cancel':
      return void (await applyCancel(deps, row, deadline));
    case 'move':
      return void (await applyMove(deps, row, deadline));
    case 'none':
      return;
  }
}

/**
 * Recovers a hold whose request died: confirms it if its event exists, and compensates it otherwise. It inserts nothing,
 * because no caller waits for this booking any more.
 */
async function recover(deps: CreateEventDeps, row: BookingRow, deadline: number): Promise<void> {
  if (row.provider === null || row.insert_started_at === null) return discardHold(deps, row);
  const connection = await findBookingConnection(deps, row);
  // the event may exist: only the calendar can tell, once it is reconnected
  if (connection === 'dead' && deps.clock.now() < row.ends_at.getTime()) throw notConnected();
  if (typeof connection !== 'string') {
    const event = await useCalendar(deps, connection, (calendar, credential) =>
      findEvent(calendar, credential, row, limitsUntil(deps, deadline)),
    );
    if (event?.status === 'live' && event.bookingId === row.id) {
      await finishBooking(deps, connection, { ...row, event_id: event.eventId }, event, deadline);
      return;
    }
  }
  await startCompensation(deps.db, row.id, 0);
  await compensate(deps, { ...row, state: bookingState.compensating }, deadline);
}
