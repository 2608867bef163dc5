// Authentication: maps the X-API-Key header to a caller, and rejects a missing scope with 403.
import { openCache } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { withIncluded } from '../contract/envelope.ts';
import type { Db } from '../db/db.ts';
import type { Caller } from '../http/request.ts';
import { hashKey, isWellFormedKey } from './key.ts';
import { findActiveKey, touchKeys } from './store.ts';

export interface Authenticator {
  /** Returns the caller of a key. Throws 401 `api_key_missing` or `api_key_invalid` (the same for unknown, revoked and expired keys). */
  authenticate(header: string | string[] | undefined): Promise<Caller>;
  /** Clears the cache, so that this process sees a changed key immediately. */
  clearCache(): void;
  /** Writes the times at which keys were last used. */
  flush(): Promise<void>;
}

/** Lifetime of cached keys: other processes may accept a revoked key for this long. */
const lifetimeMs = 5_000;
const cachedKeysMax = 10_000;
const touchStepMs = 60_000;

/** Authenticates from a cache, so that most requests cost no query. */
export function openAuthenticator(deps: { db: Db; clock: Clock; log: Log }): Authenticator {
  const lifetime = { ms: lifetimeMs, clock: deps.clock };
  const cached = openCache<{ caller: Caller; expiresAt: number }>({ max: cachedKeysMax, lifetime });
  /** Concurrent look-ups of one key share one query. */
  const pending = new Map<string, Promise<Caller>>();
  let changes = 0;
  let used = new Set<string>();
  let flushedAt = deps.clock.steady();

  async function lookUp(key: string): Promise<Caller> {
    const now = deps.clock.now();
    const hash = hashKey(key);
    const name = hash.toString('base64');
    const known = cached.get(name);
    if (known && known.expiresAt > now) return known.caller;
    const waiting = pending.get(name);
    if (waiting) return waiting;
    const lookup = queryKey(key, hash, name, now).finally(() => {
      if (pending.get(name) === lookup) pending.delete(name);
    });
    pending.set(name, lookup);
    return lookup;
  }

  async function queryKey(key: string, hash: Buffer, name: string, now: number): Promise<Caller> {
    const asOf = changes;
    const startedMs = deps.clock.steady();
    const row = isWellFormedKey(key) ? await findActiveKey(deps.db, hash, new Date(now)) : undefined;
    if (!row) throw invalidKey();
    const caller = { accountId: row.account_id, keyId: row.id, scopes: withIncluded(row.scopes) };
    // the row may be outdated if a key changed during the query: do not cache it
    if (asOf !== changes) return caller;
    const expiresAt = row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
    cached.set(name, { caller, expiresAt }, { sinceMs: startedMs });
    return caller;
  }

  async function flush(): Promise<void> {
    const now = deps.clock.now();
    flushedAt = deps.clock.steady();
    const ids = [...used];
    used = new Set();
    if (ids.length === 0) return;
    const at = new Date(Math.floor(now / touchStepMs) * touchStepMs);
    await touchKeys(deps.db, ids, at).catch((error) => deps.log.warn({ err: error }, 'keys.touch_failed'));
  }

  return {
    flush,
    async authenticate(header) {
      const key = Array.isArray(header) ? header.join(',') : header;
      if (!key) {
        throw new AppError('api_key_missing', 'The API key is missing. Send it in the X-API-Key header.');
      }
      const caller = await lookUp(key);
      used.add(caller.keyId);
      // a process without workers must flush by itself
      if (deps.clock.steady() - flushedAt >= touchStepMs) void flush();
      return caller;
    },
    clearCache() {
      changes += 1;
      cached.clear();
      pending.clear();
    },
  };
}

/** 401 with the same text for unknown, revoked and expired keys. */
export function invalidKey(): AppError {
  return new AppError(
    'api_key_invalid',
    'The API key is invalid. Check that it was copied completely and has not been revoked.',
  );
}

/** Throws 403 unless the caller's key has the route's scope. */
export function requireScope(caller: Caller, scope: string): void {
  if (caller.scopes.has(scope)) return;
  throw new AppError('forbidden', `This API key lacks the scope ${scope}. Use or create a key that has it.`);
}
