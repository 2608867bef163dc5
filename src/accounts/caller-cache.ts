// A cache of callers by the hash of their key or token, so that most requests cost no query.
import { hash } from 'node:crypto';
import { openCache } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import type { Caller } from '../http/request.ts';

/** A caller, and the time (milliseconds since the epoch) from which it is no longer accepted. */
export interface Found {
  caller: Caller;
  expiresAt: number;
}

/** Lifetime of cached callers: other processes may accept a revoked key or an ended session for this long. */
const lifetimeMs = 5_000;
const cachedMax = 10_000;

export interface CallerCache {
  /** The caller of a secret; `query` reads it if it is not cached. Throws what `query` throws. */
  find(secret: string, query: (now: number) => Promise<Found>): Promise<Caller>;
  /** Forgets every caller, so that this process sees a change immediately. */
  clear(): void;
}

/** Opens an empty cache. Concurrent look-ups of one secret share one query. */
export function openCallerCache({ clock }: { clock: Clock }): CallerCache {
  const cached = openCache<Found>({ max: cachedMax, lifetime: { ms: lifetimeMs, clock } });
  const pending = new Map<string, Promise<Caller>>();
  let changes = 0;

  async function read(name: string, query: (now: number) => Promise<Found>, now: number): Promise<Caller> {
    const asOf = changes;
    const startedMs = clock.steady();
    const found = await query(now);
    // the row may be outdated if something changed during the query: do not cache it
    if (asOf === changes) cached.set(name, found, { sinceMs: startedMs });
    return found.caller;
  }

  return {
    async find(secret, query) {
      const now = clock.now();
      // as text: half the time of a hash in a buffer
      const name = hash('sha256', secret, 'base64');
      const known = cached.get(name);
      if (known && known.expiresAt > now) return known.caller;
      const waiting = pending.get(name);
      if (waiting) return waiting;
      const lookup = read(name, query, now).finally(() => {
        if (pending.get(name) === lookup) pending.delete(name);
      });
      pending.set(name, lookup);
      return lookup;
    },
    clear() {
      changes += 1;
      cached.clear();
      pending.clear();
    },
  };
}
