// The rate limiter of one sender in this process: reserves pace slots shortly ahead, and reuses those that no message used.
import type { Clock } from '../../base/clock.ts';
import type { ReservedSlots, SlotsWanted } from './paces-store.ts';

export interface Pacer {
  /** Reserves up to `count` slots and resolves when the first has come; with 0 after a short pause if there is none soon. */
  reserve(count: number): Promise<number>;
  /** Returns slots that no message used. */
  release(count: number): void;
}

/** Reserves slots of a sender within `paceWindowsMs.usual`. */
export type ReserveSlots = (wanted: SlotsWanted) => Promise<ReservedSlots>;

/**
 * The windows in milliseconds. The usual one is short, so that a more urgent message never waits behind slots already reserved;
 * that of messages stored as dispatching is shorter, because a crash before the call leaves their outcome unknown.
 */
export const paceWindowsMs = { usual: 100, call: 10 };

/** Opens the rate limiter of a sender. */
export function openPacer(deps: { reserveSlots: ReserveSlots; clock: Clock }, senderId: string): Pacer {
  let unused = 0;
  let unusedUntilMs = 0;

  return {
    async reserve(count) {
      if (performance.now() > unusedUntilMs) unused = 0;
      if (unused > 0) {
        const reused = Math.min(unused, count);
        unused -= reused;
        return reused;
      }
      const { granted, firstInMs } = await deps.reserveSlots({ senderId, count });
      if (granted > 0) await untilSlot(deps.clock, firstInMs);
      else await deps.clock.sleep(paceWindowsMs.usual / 2);
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

/** Waits for a slot, unless it comes within a millisecond. */
export async function untilSlot(clock: Pick<Clock, 'sleep'>, inMs: number): Promise<void> {
  if (inMs > 1) await clock.sleep(inMs);
}
