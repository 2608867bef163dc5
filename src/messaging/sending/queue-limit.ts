// How many messages an account may have waiting: counted now and then, not at every send.
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { countQueued } from './messages-claims-store.ts';

const defaultMax = 1_000_000;
/** A count of a million takes a fraction of a second, and a queue does not grow by much in this. */
const countedForMs = 5_000;
/** So long after that an old count still answers, if it leaves room, while a new one is made: no send waits for it. */
const goodEnoughForMs = 60_000;
const accountsRememberedMax = 10_000;

/** Refuses a send with 429 `queue_full` if the account would have more messages waiting than it may: a million. */
export type CheckQueue = (accountId: string, more: number) => Promise<void>;

interface Counted {
  waiting: number;
  /** When this is old, by `clock.steady()`. */
  until: number;
}

/** Opens the check of this process. What it lets through counts until the next count. */
export function openQueueLimit(deps: { db: Db; clock: Clock; queuedMax?: number }): CheckQueue {
  const { queuedMax = defaultMax } = deps;
  const counted = new Map<string, Counted>();

  async function count(accountId: string): Promise<Counted> {
    const waiting = await countQueued(deps.db, accountId, queuedMax);
    const fresh = { waiting, until: deps.clock.steady() + countedForMs };
    if (counted.size >= accountsRememberedMax) counted.clear();
    counted.set(accountId, fresh);
    return fresh;
  }

  /** What is known of the account, newly counted if that is old and `more` would make it too much. */
  async function current(accountId: string, more: number): Promise<Counted> {
    const known = counted.get(accountId);
    const now = deps.clock.steady();
    if (known && known.until > now) return known;
    if (!known || known.until + goodEnoughForMs <= now || known.waiting + more > queuedMax)
      return count(accountId);
    known.until = now + countedForMs;
    count(accountId).catch(() => counted.delete(accountId));
    return known;
  }

  return async (accountId, more) => {
    const known = await current(accountId, more);
    if (known.waiting + more > queuedMax) {
      throw new AppError(
        'queue_full',
        `At most ${queuedMax.toLocaleString('en-US')} messages of an account may wait, and ${known.waiting.toLocaleString('en-US')} of this one do. Send again when some have gone.`,
        { retryAfterSeconds: 60 },
      );
    }
    known.waiting += more;
  };
}
