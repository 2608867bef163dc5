// Writes of results that only this process knows: retried while the database is unavailable.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { isLockFailure, isTransient, isUnavailable } from '../../db/failure.ts';
import { retryWrite } from '../../work/retry-write.ts';

export interface DurableWrites {
  /**
   * Retries the write while the database is unavailable, until it responds or the process stops. Throws any other error of
   * the statement. The write must be safe to repeat.
   */
  <T>(write: () => Promise<T>): Promise<T>;
  /**
   * Retries the write until it succeeds, then repeats it once every earlier statement must have ended: a timed-out one may
   * still commit. Never rejects. Both happen at the latest when the process stops.
   */
  twice(write: () => Promise<unknown>): Promise<void>;
  /** Resolves when no write is in progress. */
  idle(): Promise<void>;
}

const longestDelayMs = 10_000;
/** The statement time-out of 30 s, plus a margin. */
const statementsEndWithinMs = 35_000;

/** Opens the writes of a process that stops with `stopping`. */
export function openDurableWrites(deps: { clock: Clock; log: Log }, stopping: AbortSignal): DurableWrites {
  const inProgress = new Set<Promise<unknown>>();

  const retry = <T>(write: () => Promise<T>, isRetryable: (error: unknown) => boolean) =>
    retryWrite(write, stopping, {
      clock: deps.clock,
      isRetryable,
      longestDelayMs,
      onDelayed: (error) => deps.log.warn({ err: error }, 'messages.write_delayed'),
    });

  function tracked<T>(work: Promise<T>): Promise<T> {
    const done = () => inProgress.delete(work);
    inProgress.add(work);
    work.then(done, done);
    return work;
  }

  async function writeTwice(write: () => Promise<unknown>): Promise<void> {
    try {
      await retry(write, () => true);
      if (!stopping.aborted) await deps.clock.sleep(statementsEndWithinMs, stopping);
      await retry(write, () => true);
    } catch (error) {
      deps.log.warn({ err: error }, 'messages.revert_failed');
    }
  }

  const once = <T>(write: () => Promise<T>) =>
    tracked(retry(write, (error) => isUnavailable(error) || isTransient(error) || isLockFailure(error)));
  return Object.assign(once, {
    twice: (write: () => Promise<unknown>) => tracked(writeTwice(write)),
    async idle() {
      while (inProgress.size > 0) await Promise.allSettled(inProgress);
    },
  });
}
