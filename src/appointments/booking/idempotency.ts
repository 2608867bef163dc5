// Repeated booking requests with one Idempotency-Key: return the stored response, or finish what the first request began.
import { AppError } from '../../base/errors.ts';
import type { Tx } from '../../db/db.ts';
import { isUnavailable } from '../../db/failure.ts';
import { insertKey, type KeyOf } from '../../db/idempotency-keys.ts';
import { type Fingerprint, inProgress, lookUpKey } from '../../http/idempotency.ts';
import type { Releases } from '../../work/releases.ts';
import { leaseMs } from './booking.ts';
import type { CreateEventDeps } from './create-event.ts';
import { reconcileExpired } from './reconcile.ts';

/** An Idempotency-Key with the fingerprint of its request. */
export type Key = KeyOf & Fingerprint;

/** The response body, and whether an earlier request stored it. */
export interface BookingResponse {
  body: string;
  replayed: boolean;
}

/** A concurrent request with the same key was first. */
class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * The stored response of the key's first request. No body: this request is the first. `reconciled`: an earlier request had
 * died, and its booking was finished now. Throws 409 while the first is in progress, 422 if the first had another body.
 */
export async function findStoredResponse(
  deps: CreateEventDeps,
  key: Key,
): Promise<{ body?: string; reconciled: boolean }> {
  const of = { ...key, leaseSeconds: leaseMs / 1000 };
  const repeat = await lookUpKey(deps.db, of, { find: deps.bookings.findKey });
  if (repeat.kind === 'first') return { reconciled: false };
  if (repeat.kind === 'answered') return { body: repeat.body, reconciled: false };
  // the first request died: finish its booking as the worker would, and never begin a second one
  await reconcileExpired(deps, repeat.subjectId);
  const now = await lookUpKey(deps.db, of);
  if (now.kind === 'answered') return { body: now.body, reconciled: true };
  if (now.kind === 'first') return { reconciled: true };
  throw inProgress();
}

/** Inserts the key of a change in the transaction that sets the change; does nothing without a key. */
export async function claimKey(tx: Tx, key: Key | undefined, bookingId: string): Promise<void> {
  if (key === undefined) return;
  const of = { ...key, subjectId: bookingId, leaseSeconds: leaseMs / 1000 };
  if (!(await insertKey(tx, of))) throw new KeyTaken('Another request holds the key.');
}

/**
 * Makes a change and returns its response. With a key, a repeated request gets the stored response and changes nothing.
 * `change` must call `claimKey` in the transaction that sets the change.
 */
export async function respondOnce<T>(
  deps: CreateEventDeps & { bookingReleases: Pick<Releases, 'release'> },
  key: Key | undefined,
  bookingId: string,
  change: () => Promise<T>,
  toBody: (changed: T) => string,
): Promise<BookingResponse> {
  if (key !== undefined) {
    const { body } = await findStoredResponse(deps, key);
    if (body !== undefined) return { body, replayed: true };
  }
  try {
    return { body: toBody(await change()), replayed: false };
  } catch (error) {
    // the worker, or a repeated request, finds out the outcome
    if (isUnavailable(error)) deps.bookingReleases.release(bookingId);
    if (key === undefined || !isRace(error)) throw error;
    const { body } = await findStoredResponse(deps, key);
    if (body !== undefined) return { body, replayed: true };
    throw error instanceof KeyTaken ? inProgress() : error;
  }
}

/** True for the errors of a request that lost to a concurrent one with the same key, or to the worker. */
const isRace = (error: unknown) =>
  error instanceof KeyTaken || (error instanceof AppError && error.code === 'booking_not_changeable');
