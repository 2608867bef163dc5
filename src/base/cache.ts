// A cache with a maximum size and a lifetime that evicts the least recently used entry first. Pure.
import { LRUCache } from 'lru-cache';

export interface CacheOptions {
  /** Maximum number of entries. */
  max: number;
  /** Time after which an entry expires, in milliseconds of `clock.steady()`. Without it, entries never expire. */
  lifetime?: { ms: number; clock: { steady(): number } };
}

export interface Cache<V extends NonNullable<unknown>> {
  /** The entry of the key, which becomes the most recently used one; undefined if it is missing or expired. */
  get(key: string): V | undefined;
  /** `sinceMs`: the `clock.steady()` at which the lifetime starts; default: now. `lifetimeMs`: default: the cache's own. */
  set(key: string, value: V, options?: { sinceMs?: number; lifetimeMs?: number }): void;
  delete(key: string): void;
  clear(): void;
}

/** Opens an empty cache. */
export function openCache<V extends NonNullable<unknown>>({ max, lifetime }: CacheOptions): Cache<V> {
  const entries = new LRUCache<string, V & {}>({
    max,
    // read the clock at each look-up, because tests move it
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

/** LRUCache treats a start of 0 as none. */
const sinceStart = (steadyMs: number) => steadyMs + 1;
