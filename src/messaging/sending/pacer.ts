// The pace slots of one number in this process: taken from its row shortly ahead, and used again where a message did not leave.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { reservePace } from './messages-moves-store.ts';

export interface Pacer {
  /**
   * Takes up to `count` slots and resolves when the first of them has come: none if there are none within `windowMs`,
   * after a short rest where that is not given.
   */
  take(count: number, windowMs?: number): Promise<number>;
  /** Gives slots back that no message used. */
  giveBack(count: number): void;
}

/** How far ahead slots are taken: short, so that a more urgent message never waits behind slots already taken. */
const windowUsualMs = 100;

/** Opens the slots of a number. */
export function openPacer(deps: { db: Db; clock: Clock }, senderId: string): Pacer {
  let spared = 0;
  let sparedUntilMs = 0;

  return {
    async take(count, windowMs) {
      if (performance.now() > sparedUntilMs) spared = 0;
      if (spared > 0) {
        const used = Math.min(spared, count);
        spared -= used;
        return used;
      }
      const { granted, firstInMs } = await reservePace(deps.db, senderId, count, windowMs ?? windowUsualMs);
      if (granted > 0 && firstInMs > 1) await deps.clock.sleep(firstInMs);
      if (granted === 0 && windowMs === undefined) await deps.clock.sleep(windowUsualMs / 2);
      return granted;
    },
    giveBack(count) {
      if (count <= 0) return;
      const now = performance.now();
      if (now > sparedUntilMs) spared = 0;
      spared += count;
      // no longer than they were taken ahead: older ones would add up to a burst
      sparedUntilMs = now + windowUsualMs;
    },
  };
}
