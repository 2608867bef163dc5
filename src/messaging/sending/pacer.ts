// The rate limiter of one sender in this process: reserves pace slots shortly ahead, and reuses those that no message used.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { reservePace } from './paces-store.ts';

export interface Pacer {
  /**
   * Reserves up to `count` slots within `windowMs` and resolves when the first has come. Resolves with 0 if there is none;
   * without `windowMs` after a short pause.
   */
  reserve(count: number, windowMs?: number): Promise<number>;
  /** Returns slots that no message used. */
  release(count: number): void;
}

/** Short, so that a more urgent message never waits behind slots already reserved. */
const usualWindowMs = 100;

/** Opens the rate limiter of a sender. */
export function openPacer(deps: { hot: Db; clock: Clock }, senderId: string): Pacer {
  let unused = 0;
  let unusedUntilMs = 0;

  return {
    async reserve(count, windowMs) {
      if (performance.now() > unusedUntilMs) unused = 0;
      if (unused > 0) {
        const reused = Math.min(unused, count);
        unused -= reused;
        return reused;
      }
      const { granted, firstInMs } = await reservePace(deps.hot, senderId, count, windowMs ?? usualWindowMs);
      if (granted > 0 && firstInMs > 1) await deps.clock.sleep(firstInMs);
      if (granted === 0 && windowMs === undefined) await deps.clock.sleep(usualWindowMs / 2);
      return granted;
    },
    release(count) {
      if (count <= 0) return;
      const now = performance.now();
      if (now > unusedUntilMs) unused = 0;
      unused += count;
      // kept no longer than the window: more would cause a burst
      unusedUntilMs = now + usualWindowMs;
    },
  };
}
