// Request counts in this process's memory, in windows that are independent of clock steps.
import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { Clock } from '../base/clock.ts';

interface Window {
  count: number;
  startedMs: number;
}

const cacheMax = 5_000;

/**
 * A store for `@fastify/rate-limit`. The plugin's own store uses the wall clock: if that is set back by 20 minutes, it rejects a
 * client at its limit for 20 minutes. Keeps up to `cache` keys and evicts the least recently used one.
 */
export function steadyRates(clock: Pick<Clock, 'steady'>): FastifyRateLimitStoreCtor {
  return class Rates implements FastifyRateLimitStore {
    readonly #windows = new Map<string, Window>();
    readonly #max: number;

    constructor(options: { cache?: number } = {}) {
      this.#max = options.cache ?? cacheMax;
    }

    incr(
      key: string,
      callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
      timeWindow: number,
    ): void {
      const nowMs = clock.steady();
      const known = this.#windows.get(key);
      this.#windows.delete(key);
      const isOpen = known !== undefined && known.startedMs + timeWindow > nowMs;
      const window = isOpen ? known : { count: 0, startedMs: nowMs };
      window.count += 1;
      this.#windows.set(key, window);
      if (this.#windows.size > this.#max) this.#windows.delete(this.#windows.keys().next().value ?? '');
      callback(null, { current: window.count, ttl: timeWindow - (nowMs - window.startedMs) });
    }

    child(options: object): FastifyRateLimitStore {
      return new Rates(options);
    }
  };
}
