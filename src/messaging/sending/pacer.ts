// The rate limiter of one sender in this process: reserves pace slots shortly ahead, and reuses those that no message used.
import type { Clock } from '../../base/clock.ts';
import type { ReservedSlots, SlotsWanted } from './paces-store.ts';

export interface Pacer {
  /**
   * Reserves up to `count` slots within a window and resolves when the first has come. Resolves with 0 if there is none;
   * in the usual window after a short pause.
   */
  reserve(count: number, window: keyof ReserveSlots): Promise<number>;
  /** Returns slots that no message used. */
  release(count: number): void;
}

/** Reserves slots within a window; `usual` is longer than the one of calls that are about to be stored as dispatching. */
export type ReserveSlots = Record<'usual' | 'call', (wanted: SlotsWanted) => Promise<ReservedSlots>>;

/**
 * The windows in milliseconds. The usual one is short, so that a more urgent message never waits behind slots already reserved;
 * that of calls is shorter, because a crash before the call leaves their messages unknown.
 */
export const paceWindowsMs = { usual: 100, call: 10 };

/** Opens the rate limiter of a sender. */
export function openPacer(deps: { reserveSlots: ReserveSlots; clock: Clock }, senderId: string): Pacer {
  let unused = 0;
  let unusedUntilMs = 0;

  return {
    async reserve(count, window) {
      if (performance.now() > unusedUntilMs) unused = 0;
      if (unused > 0) {
        const reused = Math.min(unused, count);
        unused -= reused;
        return reused;
      }
      const { granted, firstInMs } = await deps.reserveSlots[window]({ senderId, count });
      if (granted > 0 && firstInMs > 1) await deps.clock.sleep(firstInMs);
      if (granted === 0 && window === 'usual') await deps.clock.sleep(paceWindowsMs.usual / 2);
      return granted;
    },
    release(count) {
      if (count <= 0) return;
      const now = performance.now();
      if (now > unusedUntilMs) unused = 0;
      unused += count;
      // kept no longer than the window: more would cause a burst
      unusedUntilMs = now + paceWindowsMs.usual;
    },
  };
}
