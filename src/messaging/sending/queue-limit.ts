// How many messages an account may have waiting: counted now and then, not at every send.
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { countQueued } from './queue-store.ts';

const defaultMax = 1_000_000;
/** A count of a million takes a fraction of a second, and a queue does not grow by much in this. */
const countedForMs = 5_000;
const accountsRememberedMax = 10_000;

/** Refuses a send with 429 `queue_full` if the account would have more messages waiting than it may: a million. */
export type CheckQueue = (accountId: string, more: number) => Promise<void>;

/** Opens the check of this process. What it lets through counts until the next count. */
export function openQueueLimit(deps: { db: Db; clock: Clock; queuedMax?: number }): CheckQueue {
  const { queuedMax = defaultMax } = deps;
  const counted = new Map<string, { waiting: number; until: number }>();

  async function count(accountId: string): Promise<{ waiting: number; until: number }> {
    const known = counted.get(accountId);
    if (known && known.until > deps.clock.now()) return known;
    const waiting = await countQueued(deps.db, accountId, queuedMax);
    const fresh = { waiting, until: deps.clock.now() + countedForMs };
    if (counted.size >= accountsRememberedMax) counted.clear();
    counted.set(accountId, fresh);
    return fresh;
  }

  return async (accountId, more) => {
    const current = await count(accountId);
    if (current.waiting + more > queuedMax) {
      throw new AppError(
        'queue_full',
        `At most ${queuedMax.toLocaleString('en-US')} messages of an account may wait, and ${current.waiting.toLocaleString('en-US')} of this one do. Send again when some have gone.`,
        { retryAfterSeconds: 60 },
      );
    }
    current.waiting += more;
  };
}
