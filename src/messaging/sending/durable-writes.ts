// Writes that must not be given up while the database is away: what is known in this process alone.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { isAway, isTransient } from '../../db/failure.ts';

export interface DurableWrites {
  /**
   * Writes again and again while the database is away, until it has answered or the process stops; a failure of the
   * statement itself is thrown. The write must be one that may be repeated.
   */
  <T>(write: () => Promise<T>): Promise<T>;
  /**
   * Writes until it is done, whatever fails, and once more when every statement that was under way at first has ended.
   * Never rejects. Both are tried at the latest when the process stops.
   */
  twice(write: () => Promise<unknown>): Promise<void>;
  /** Resolves when nothing of this is under way; bounded once the process stops. */
  quiet(): Promise<void>;
}

const restMs = 250;
const restMostMs = 10_000;
/** The connections' own limit of 30 s, and a margin. */
const statementsEndWithinMs = 35_000;

/** Opens it for one process, which stops with `stopping`. */
export function openDurableWrites(deps: { clock: Clock; log: Log }, stopping: AbortSignal): DurableWrites {
  const underWay = new Set<Promise<unknown>>();

  async function go<T>(write: () => Promise<T>, isWorthIt: (error: unknown) => boolean): Promise<T> {
    for (let tries = 0; ; tries++) {
      const isLast = stopping.aborted;
      try {
        return await write();
      } catch (error) {
        if (isLast || !isWorthIt(error)) throw error;
        if (tries === 0) deps.log.warn({ err: error }, 'messages.written_later');
        await deps.clock.sleep(Math.min(restMs * 2 ** tries, restMostMs), stopping);
      }
    }
  }

  function watched<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    work.then(
      () => underWay.delete(work),
      () => underWay.delete(work),
    );
    return work;
  }

  async function writeTwice(write: () => Promise<unknown>): Promise<void> {
    try {
      await go(write, () => true);
      if (!stopping.aborted) await deps.clock.sleep(statementsEndWithinMs, stopping);
      await go(write, () => true);
    } catch (error) {
      deps.log.warn({ err: error }, 'messages.not_put_back');
    }
  }

  const once = <T>(write: () => Promise<T>) =>
    watched(go(write, (error) => isAway(error) || isTransient(error)));
  return Object.assign(once, {
    twice: (write: () => Promise<unknown>) => watched(writeTwice(write)),
    async quiet() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  });
}
