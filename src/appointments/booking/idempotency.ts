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

/** The bytes to answer with, and whether an earlier request stored them. */
export interface Answered {
  body: string;
  replayed: boolean;
}

/** Another request with the same key wrote its intent in the meantime. */
class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * The stored answer of the key's first request; without a body there is none, and this request may begin. `settled`:
 * what an earlier request left was settled first. Throws 409 while the first is under way, and 422 for another request.
 */
export async function findAnswer(
  deps: CreateEventDeps,
  key: Key,
): Promise<{ body?: string; settled: boolean }> {
  const of = { ...key, leaseSeconds: leaseMs / 1000 };
  const repeat = await consultKey(deps.db, of, deps.bookings.findKey);
  if (repeat.kind === 'first') return { settled: false };
  if (repeat.kind === 'answered') return { body: repeat.body, settled: false };
  // whoever did the first died: what it left is settled as the worker would, and never begun a second time
  await reconcileExpired(deps, repeat.subjectId);
  const now = await consultKey(deps.db, of);
  if (now.kind === 'answered') return { body: now.body, settled: true };
  if (now.kind === 'first') return { settled: true };
  throw inProgress();
}

/** Writes the key of a change in the transaction that writes the change; does nothing without a key. */
export async function claimKey(tx: Tx, key: Key | undefined, bookingId: string): Promise<void> {
  if (key === undefined) return;
  const of = { ...key, subjectId: bookingId, leaseSeconds: leaseMs / 1000 };
  if (!(await insertKey(tx, of))) throw new KeyTaken('Another request holds the key.');
}

/**
 * Makes a change and answers it by `answer`; under a key, a repeat gets the stored bytes and changes nothing. `change`
 * must claim the key (`claimKey`) in the transaction that writes what is to be done.
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
    // how far it came is found out by the worker, or by a repeat under the key
    if (isAway(error)) deps.bookingReleases.release(bookingId);
    if (key === undefined || !isRace(error)) throw error;
    const { body } = await findAnswer(deps, key);
    if (body !== undefined) return { body, replayed: true };
    throw error instanceof KeyTaken ? inProgress() : error;
  }
}

/** What a request sees if a twin with the same key, or the worker, was quicker. */
const isRace = (error: unknown) =>
  error instanceof KeyTaken || (error instanceof AppError && error.code === 'booking_not_changeable');
