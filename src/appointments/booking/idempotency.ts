// Repeats of a booking request under one Idempotency-Key: the stored answer, or the unfinished work of the first.
import { AppError } from '../../base/errors.ts';
import type { Tx } from '../../db/db.ts';
import { isAway } from '../../db/failure.ts';
import { insertKey, type KeyOf } from '../../db/idempotency-keys.ts';
import { consultKey, type Fingerprint, inProgress } from '../../http/idempotency.ts';
import type { Releases } from '../../work/releases.ts';
import { leaseMs } from './booking.ts';
import type { CreateEventDeps } from './create-event.ts';
import { reconcileExpired } from './reconcile.ts';

/** An Idempotency-Key with the fingerprint of its request. */
export type Key = KeyOf & Fingerprint;

/** The response body, and whether an earlier request stored it. */
export interface Answered {
  body: string;
  replayed: boolean;
}

/** A concurrent request with the same key was first. */
class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * The stored answer of the key's first request. Without a body there is none, and this request may begin. `reconciled`: an
 * earlier request had died and was finished first. Throws 409 while the first is in progress, 422 for another request.
 */
export async function findAnswer(
  deps: CreateEventDeps,
  key: Key,
): Promise<{ body?: string; reconciled: boolean }> {
  const of = { ...key, leaseSeconds: leaseMs / 1000 };
  const repeat = await consultKey(deps.db, of, deps.bookings.findKey);
  if (repeat.kind === 'first') return { reconciled: false };
  if (repeat.kind === 'answered') return { body: repeat.body, reconciled: false };
  // the first request died: finish it as the worker would, and never begin a second one
  await reconcileExpired(deps, repeat.subjectId);
  const now = await consultKey(deps.db, of);
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
 * Makes a change and returns its answer. Under a key, a repeat gets the stored answer and changes nothing. `change` must
 * call `claimKey` in the transaction that sets the change.
 */
export async function answerOnce<T>(
  deps: CreateEventDeps & { bookingReleases: Pick<Releases, 'release'> },
  key: Key | undefined,
  bookingId: string,
  change: () => Promise<T>,
  answer: (changed: T) => string,
): Promise<Answered> {
  if (key !== undefined) {
    const { body } = await findAnswer(deps, key);
    if (body !== undefined) return { body, replayed: true };
  }
  try {
    return { body: answer(await change()), replayed: false };
  } catch (error) {
    // the worker, or a repeat under the key, finds out how far it came
    if (isAway(error)) deps.bookingReleases.release(bookingId);
    if (key === undefined || !isRace(error)) throw error;
    const { body } = await findAnswer(deps, key);
    if (body !== undefined) return { body, replayed: true };
    throw error instanceof KeyTaken ? inProgress() : error;
  }
}

/** True for the errors of a request that lost to a concurrent one with the same key, or to the worker. */
const isRace = (error: unknown) =>
  error instanceof KeyTaken || (error instanceof AppError && error.code === 'booking_not_changeable');
