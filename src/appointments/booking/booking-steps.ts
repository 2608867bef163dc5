// The database steps of booking that concurrent requests share: each runs once for all who wait, with one commit.
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import {
  findKeys,
  type IdempotencyKeyRow,
  type KeyOf,
  recordKeyResponses,
} from '../../db/idempotency-keys.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import { type BatchOptions, batch } from '../../work/batch.ts';
import type { InFlight } from '../../work/in-flight.ts';
import type { ReadStaffDays } from '../slots/staff-days.ts';
import type { BookingRow } from './booking.ts';
import { leaseMs } from './booking.ts';
import { type HoldSlot, openHoldSlot } from './hold-slot.ts';
import { type Confirmation, confirmHolds, startInserts } from './holds-store.ts';
import { bookingEvent } from './publish-change.ts';
import { bookResponseJson } from './stored-responses.ts';

export interface BookingStepsDeps {
  hot: Db;
  clock: { now(): number };
  log: Log;
  deliveries: PublishDeps['deliveries'];
  appointmentsInFlight: InFlight;
  readDays: ReadStaffDays;
}

export interface BookingSteps {
  /** The row of an Idempotency-Key, read after this call began. */
  findKey(of: KeyOf): Promise<IdempotencyKeyRow | undefined>;
  holdSlot: HoldSlot;
  /** Records that the event insert begins, and renews the lease; false if the booking is no longer held. */
  startInsert(id: string): Promise<boolean>;
  /**
   * Held → confirmed. Stores the response for repeats and publishes the webhook event in the same transaction. Undefined if
   * the booking is no longer held.
   */
  confirm(given: Confirmation): Promise<BookingRow | undefined>;
}

/**
 * The minimum time between two batches while other requests are in progress. A booking in a batch of 12 took half of the
 * CPU time of one in a batch of 3. A batch that all requests have joined does not wait.
 */
const gapMs = 10;

/** Opens the steps for one process. */
export function openBookingSteps(deps: BookingStepsDeps): BookingSteps {
  const batched = <T>(key: (item: T) => string): BatchOptions<T> => ({
    gapMs,
    max: 200,
    inFlight: deps.appointmentsInFlight,
    key,
  });
  // ids only, so redaction is off: it took 4 % of the main thread's time
  const log = deps.log.child({}, { redact: [] });
  const start = async (ids: string[]) => {
    const started = await startInserts(deps.hot, ids, leaseMs);
    return ids.map((id) => started.has(id));
  };
  return {
    findKey: batch(
      (of: KeyOf[]) => findKeys(deps.hot, of),
      batched(({ key }) => key),
    ),
    holdSlot: openHoldSlot(deps, gapMs),
    startInsert: batch(
      start,
      batched((id) => id),
    ),
    confirm: batch(
      (given: Confirmation[]) => confirmAll(deps, log, given),
      batched(({ id }) => id),
    ),
  };
}

async function confirmAll(
  deps: BookingStepsDeps,
  log: Log,
  given: Confirmation[],
): Promise<(BookingRow | undefined)[]> {
  const inOne = async (tx: Tx) => {
    const rows = await confirmHolds(tx, given);
    if (rows.size === 0) return { rows, started: [] };
    const all = [...rows.values()];
    const answers = all.map((row) => ({ subjectId: row.id, status: 200, body: bookResponseJson(row) }));
    await recordKeyResponses(tx, answers);
    const now = deps.clock.now();
    const events = all.map((row) => bookingEvent('appointments.booked', now, row));
    return { rows, started: await publish(deps, tx, events) };
  };
  const { rows, started } = await deps.hot.transaction().execute(inOne);
  if (started.length > 0) deps.deliveries.offer(started);
  for (const row of rows.values()) {
    const { id: bookingId, staff_id: staffId, state, guest_invited: guestInvited } = row;
    log.info({ bookingId, staffId, state, guestInvited, kind: 'appointments.booked' }, 'booking.changed');
  }
  return given.map(({ id }) => rows.get(id));
}
