// Changes of bookings, with the event that reports each to webhook receivers: one transaction.
import { uuidv7 } from '../../base/ids.ts';
import type { BookingChangedBy } from '../../contract/bookings.ts';
import type { Tx } from '../../db/db.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type EventToPublish, eventBody, publish } from '../../webhooks/publish.ts';
import type { BookingRow } from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import { bookingItem } from './presenter.ts';

type BookingEvent = 'appointments.booked' | 'appointments.cancelled' | 'appointments.rescheduled';

/** The webhook event with a booking as it is at `now`; `by`: who changed it. */
export function bookingEvent(
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

/**
 * Runs `change` and publishes the webhook event of the booking that it returns, in one transaction. Nothing is published
 * if it returns undefined.
 */
export async function publishChange(
  deps: BookingDeps,
  kind: BookingEvent,
  by: BookingChangedBy,
  change: (tx: Tx) => Promise<BookingRow | undefined>,
): Promise<BookingRow | undefined> {
  let row: BookingRow | undefined;
  await publishChanges(deps, async (tx) => {
    row = await change(tx);
    return row ? [bookingEvent(kind, deps.clock.now(), row, by)] : [];
  });
  if (row)
    deps.log.info(
      { bookingId: row.id, staffId: row.staff_id, state: row.state, kind, by },
      'booking.changed',
    );
  return row;
}

/** Runs `change` and publishes the webhook events that it returns, in one transaction. */
export async function publishChanges(
  deps: BookingDeps,
  change: (tx: Tx) => Promise<EventToPublish[]>,
): Promise<void> {
  const started = await inTransaction(deps.db, async (tx) => publish(deps, tx, await change(tx)));
  if (started.length > 0) deps.deliveries.offer(started);
}
