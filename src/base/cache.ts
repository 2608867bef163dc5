// A cache with a limit and a lifetime: the least recently used entry leaves first. Pure.
import { LRUCache } from 'lru-cache';

export interface CacheOptions {
  /** Entries kept at most. */
  max: number;
  /** How long an entry lives, in milliseconds of `clock.steady()`; without it, entries live until they are evicted. */
  lifetime?: { ms: number; clock: { steady(): number } };
}

export interface Cache<V extends NonNullable<unknown>> {
  /** The live entry of the key, which becomes the most recently used one; undefined if there is none. */
  get(key: string): V | undefined;
  /** `sinceMs`: the `clock.steady()` at which the lifetime begins, default now. `lifetimeMs`: default the cache's own. */
  set(key: string, value: V, options?: { sinceMs?: number; lifetimeMs?: number }): void;
  delete(key: string): void;
  clear(): void;
}

/** Opens an empty cache. */
export function openCache<V extends NonNullable<unknown>>({ max, lifetime }: CacheOptions): Cache<V> {
  const entries = new LRUCache<string, V & {}>({
    max,
    // the clock is asked at each look-up, since tests move it
    ...(lifetime && {
      ttl: lifetime.ms,
      ttlResolution: 0,
      perf: { now: () => sinceStart(lifetime.clock.steady()) },
    }),
  });
  return {
    get: (key) => entries.get(key),
    set(key, value, { sinceMs, lifetimeMs } = {}) {
      if (lifetimeMs !== undefined && lifetimeMs <= 0) entries.delete(key);
      else
        entries.set(key, value, {
          ...(sinceMs === undefined ? {} : { start: sinceStart(sinceMs) }),
          ...(lifetimeMs === undefined ? {} : { ttl: lifetimeMs }),
        });
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}

/** LRUCache takes a start of 0 for none. */
const sinceStart = (steadyMs: number) => steadyMs + 1;
