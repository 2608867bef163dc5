// Whether this process has work. The loops of an idle process wait to be woken, instead of asking the database.
import type { Clock } from '../base/clock.ts';

/** Without work for this long, a process is idle. */
export const idleAfterMs = 60_000;
/** Half of `idleAfterMs`: a notified process stays awake until the next notification. */
export const announceEveryMs = 30_000;

/** The first moments after an idle time: work that was announced is about to be committed. */
const freshMs = 1_000;

export interface Activity {
  /** Records work of this process: a request, or rows that a loop found. Notifies the other processes, at most every 30 s. */
  note(): void;
  /** Ends idleness without notifying other processes. */
  wake(): void;
  isIdle(): boolean;
  /** True in the first second after an idle time. */
  isFresh(): boolean;
  /** Calls `listener` at the end of each idle time. */
  onWake(listener: () => void): void;
}

/** `announce` notifies the other processes; if it rejects, it is called again for the next work. The process starts awake. */
export function openActivity(deps: {
  clock: Pick<Clock, 'steady'>;
  announce: () => Promise<void>;
}): Activity {
  const { clock, announce } = deps;
  let awakeSinceMs = clock.steady();
  let announcedMs = Number.NEGATIVE_INFINITY;
  let wokenMs = Number.NEGATIVE_INFINITY;
  const listeners: (() => void)[] = [];
  const isIdle = () => clock.steady() - awakeSinceMs >= idleAfterMs;

  function wake(): void {
    const wasIdle = isIdle();
    awakeSinceMs = clock.steady();
    if (!wasIdle) return;
    wokenMs = awakeSinceMs;
    for (const listener of listeners) listener();
  }

  return {
    wake,
    isIdle,
    isFresh: () => clock.steady() - wokenMs < freshMs,
    onWake: (listener) => void listeners.push(listener),
    note() {
      wake();
      if (awakeSinceMs - announcedMs < announceEveryMs) return;
      announcedMs = awakeSinceMs;
      announce().catch(() => {
        announcedMs = Number.NEGATIVE_INFINITY;
      });
    },
  };
}
