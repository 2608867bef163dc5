// The clock and timers of the program, which tests replace.
import { openSteady } from './steady.ts';

export interface Clock {
  /** Milliseconds since the epoch; may step in either direction. For times that are stored or sent. */
  now(): number;
  /** Monotonic milliseconds that include the time this machine slept. For durations. */
  steady(): number;
  /** Resolves after `ms`, or immediately when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: openSteady(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      // Node prints a warning for a negative delay
      const timer = setTimeout(done, Math.max(0, ms));
      signal?.addEventListener('abort', done, { once: true });
    }),
};
