// The database steps of booking that concurrent requests share: each runs once for all who wait, with one commit.
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import {
  findKeys,
  type IdempotencyKeyRow,
  type KeyOf,
  recordKeyResponses,
} from '../../db/idempotency-keys.ts';
import { type LeasedDelivery, type PublishDeps, publish } from '../../webhooks/publish.ts';
import { type BatchOptions, batch } from '../../work/batch.ts';
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
  deliveries: PublishDeps['deliveries'] & { offer(leasedDeliveries: LeasedDelivery[]): void };
}

export interface BookingSteps {
  /** The row of an Idempotency-Key, read after this call began. */
  findKey(of: KeyOf): Promise<IdempotencyKeyRow | undefined>;
  holdSlot: HoldSlot;
  /** Records that the event insert begins, and renews the lease; undefined if the booking is no longer held. */
  startInsert(id: string): Promise<BookingRow | undefined>;
  /**
   * Held → confirmed. Stores the response for repeats and publishes the webhook event in the same transaction. Undefined if
   * the booking is no longer held.
   */
  confirm(given: Confirmation): Promise<BookingRow | undefined>;
}

/** The minimum time between two batches: fewer and larger commits under load, and short next to a calendar call. */
const gapMs = 5;
const batched = <T>(key: (item: T) => string): BatchOptions<T> => ({ gapMs, max: 200, key });

/** Opens the steps for one process. */
export function openBookingSteps(deps: BookingStepsDeps): BookingSteps {
  const start = async (ids: string[]) => {
    const rows = await startInserts(deps.hot, ids, leaseMs);
    return ids.map((id) => rows.get(id));
  };
  return {
    findKey: batch(
      (of: KeyOf[]) => findKeys(deps.hot, of),
      batched(({ key }) => key),
    ),
    holdSlot: openHoldSlot(deps),
    startInsert: batch(
      start,
      batched((id) => id),
    ),
    confirm: batch(
      (given: Confirmation[]) => confirmAll(deps, given),
      batched(({ id }) => id),
    ),
  };
}

async function confirmAll(
  deps: BookingStepsDeps,
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
    const { id: bookingId, staff_id: staffId, state } = row;
    deps.log.info({ bookingId, staffId, state, kind: 'appointments.booked' }, 'booking.changed');
  }
  return given.map(({ id }) => rows.get(id));
}
