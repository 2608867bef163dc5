// When messages, deliveries and received messages have ended, as conditions of statements.
import { type RawBuilder, sql } from 'kysely';
import { bookingState } from '../contract/bookings.ts';
import { sqlConstants } from '../db/sql-constants.ts';
import { deliveryState } from '../webhooks/delivery/delivery.ts';

const delivery = sqlConstants(deliveryState);
const booking = sqlConstants(bookingState);

/**
 * True if the message `m` ended before that time. A message that waits or is being sent has a `due_at`. One without any stage ended
 * when it expired.
 */
export const isMessageExpired = (before: Date): RawBuilder<boolean> => sql`(m.due_at is null
  and coalesce(greatest(m.accepted_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at), m.expires_at) < ${before})`;

/**
 * True if the delivery `d` ended before that time. One that was dead from its beginning has no time of its end, but its id has that of
 * the beginning.
 */
export const isDeliveryExpired = (
  before: Date,
): RawBuilder<boolean> => sql`(d.state in (${delivery.delivered}, ${delivery.dead})
  and d.id < uuid7_floor(${before})
  and coalesce(greatest(d.delivered_at, d.dead_at, d.last_attempt_at), '-infinity') < ${before})`;

/** True if the received message `m` came before that time, by our clock and the platform's, from which its id is made. */
export const isReceivedExpired = (before: Date): RawBuilder<boolean> => sql`(m.received_at < ${before})`;

/** True if the appointment of the booking `b` ended before that time, and nothing of it is pending. */
export const isBookingExpired = (
  before: Date,
): RawBuilder<boolean> => sql`(b.starts_at < ${before} and b.ends_at < ${before}
  and b.due_at is null and b.wish is null and b.state in (${booking.confirmed}, ${booking.cancelled}, ${booking.compensated}))`;
