// The only source of the current time and of timers for our rules, so that tests own both.
import { openSteady } from './steady.ts';

export interface Clock {
  /** Milliseconds since the epoch, which may step in either direction: for instants that are stored or sent. */
  now(): number;
  /** Milliseconds since some instant, which never step back and count the time that this machine slept: for durations. */
  steady(): number;
  /** Resolves after `ms`, or immediately when `signal` aborts (it never rejects). */
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
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
};
