// The limit of an account's queued messages, checked against a count that is at most seconds old.
import { openCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { countQueued } from '../messages/store.ts';

const defaultMax = 1_000_000;
/** Counting a million rows takes a fraction of a second; a queue does not grow much in this time. */
const freshForMs = 5_000;
/** An older count below the limit is used this long while a new one is made, so that no send waits for it. */
const usableForMs = 60_000;
const accountsMax = 10_000;

/**
 * Throws 429 `queue_full` if the account would have more queued messages than allowed: a million. Counts them; the returned function
 * takes that back if they were not stored.
 */
export type CheckQueue = (accountId: string, more: number) => Promise<() => void>;

interface Counted {
  waiting: number;
  /** The end of its freshness, of `clock.steady()`. */
  until: number;
}

/** Opens the check of this process. Adds accepted messages to the count until the next one. */
export function openQueueLimit(deps: { db: Db; clock: Clock; queuedMax?: number }): CheckQueue {
  const { queuedMax = defaultMax } = deps;
  const lifetime = { ms: freshForMs + usableForMs, clock: deps.clock };
  const counted = openCache<Counted>({ max: accountsMax, lifetime });

  async function count(accountId: string): Promise<Counted> {
    const waiting = await countQueued(deps.db, accountId, queuedMax);
    const fresh = { waiting, until: deps.clock.steady() + freshForMs };
    counted.set(accountId, fresh);
    return fresh;
  }

  /** The last count, or a new one if the last is too old or `more` would exceed the limit. */
  async function current(accountId: string, more: number): Promise<Counted> {
    const known = counted.get(accountId);
    const now = deps.clock.steady();
    if (known && known.until > now) return known;
    if (!known || known.waiting + more > queuedMax) return count(accountId);
    known.until = now + freshForMs;
    count(accountId).catch(() => counted.delete(accountId));
    return known;
  }

  return async (accountId, more) => {
    const known = await current(accountId, more);
    if (known.waiting + more > queuedMax) {
      throw new AppError(
        'queue_full',
        `The account has ${known.waiting.toLocaleString('en-US')} queued messages; at most ${queuedMax.toLocaleString('en-US')} are allowed. Send again when some have been sent.`,
        { retryAfterSeconds: 60 },
      );
    }
    known.waiting += more;
    return () => {
      known.waiting -= more;
    };
  };
}
