// Settling bookings whose wish differs from what the calendar is known to hold: the worker's part of the worker.
import { notConnected, useCalendar } from '../calendar/connection.ts';
import { type BookingRow, lookAgainMs, taskOf } from './booking.ts';
import { carryOutCancel, carryOutMove } from './carry-out.ts';
import { finishPlacing, type PlaceDeps, release } from './place.ts';
import { eventRef, leaseMs, limitsUntil, reachCalendar, requestMs } from './settle-deps.ts';
import { claimDue, claimLapsed, postpone, turnUndoing } from './store.ts';
import { undo } from './undo.ts';

const bookingsAtOnce = 20;

/** Settles bookings that are due; answers how many were. */
export async function settleDue(deps: PlaceDeps): Promise<number> {
  const rows = await claimDue(deps.db, bookingsAtOnce, leaseMs);
  await Promise.all(rows.map((row) => settle(deps, row)));
  return rows.length;
}

/** Settles one booking whose worker died, as the worker would; does nothing while somebody else is at it. */
export async function settleLapsed(deps: PlaceDeps, bookingId: string): Promise<void> {
  const row = await claimLapsed(deps.db, bookingId, leaseMs);
  if (row) await settle(deps, row);
}

/** Brings one claimed booking as far as it can; a failure is logged, and the booking is looked at again later. */
async function settle(deps: PlaceDeps, row: BookingRow): Promise<void> {
  const deadline = deps.clock.steady() + requestMs;
  try {
    switch (taskOf(row)) {
      case 'recover':
        return await recover(deps, row, deadline);
      case 'undo':
        return void (await undo(deps, row, deadline));
      case 'take_out':
        return void (await carryOutCancel(deps, row, deadline));
      case 'move':
        return void (await carryOutMove(deps, row, deadline));
      case 'none':
        return;
    }
  } catch (error) {
    deps.log.warn({ err: error, bookingId: row.id, attempts: row.attempts }, 'booking.settle_failed');
    await postpone(deps.db, row.id, lookAgainMs(row.attempts));
  }
}

/**
 * A hold whose request died. The event is read by its id: ours → confirmed, absent → undone. Nothing is inserted
 * here: nobody waits for this booking any more.
 */
async function recover(deps: PlaceDeps, row: BookingRow, deadline: number): Promise<void> {
  if (row.provider === null || row.insert_started_at === null) return release(deps, row);
  const connection = await reachCalendar(deps, row);
  // it may be there: only the calendar, once it is connected again, can tell
  if (connection === 'dead' && deps.clock.now() < row.ends_at.getTime()) throw notConnected();
  if (typeof connection !== 'string') {
    const event = await useCalendar(deps, connection, (calendar, credential) =>
      calendar.getEvent(credential, eventRef(row, calendar), limitsUntil(deps, deadline)),
    );
    if (event?.status === 'live' && event.bookingId === row.id) {
      await finishPlacing(deps, connection, row, event, deadline);
      return;
    }
  }
  await turnUndoing(deps.db, row.id, 0);
  await undo(deps, { ...row, state: 'undoing' }, deadline);
}
