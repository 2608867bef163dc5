// A clock for tests of deadlines and retries: pauses are short, and work takes no time.
import type { Clock } from '../../src/base/clock.ts';

/**
 * A clock whose deadlines a busy machine does not reach: only pauses and `aheadMs` move `steady`, work does not. A pause is
 * shorter by the factor `speed`, so that seconds become milliseconds, and is skipped while `skipsDelays` is true. A sleep
 * with a signal is a timeout and takes its full time.
 */
export function fastClock(speed: number): Clock & { aheadMs: number; skipsDelays: boolean } {
  const clock = {
    aheadMs: 0,
    skipsDelays: false,
    now: () => Date.now() + clock.aheadMs,
    steady: () => clock.aheadMs,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const endsAt = clock.steady() + ms;
        const pauseMs = clock.skipsDelays ? 0 : ms / speed;
        const timer = setTimeout(
          () => {
            clock.aheadMs = Math.max(clock.aheadMs, endsAt);
            resolve();
          },
          signal ? ms : pauseMs,
        );
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
  return clock;
}
