// Authentication: maps the X-API-Key header or a session's cookie to a caller, and rejects a missing scope with 403.
import { openCache } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { withIncluded } from '../contract/envelope.ts';
import type { Db } from '../db/db.ts';
import type { Caller } from '../http/request.ts';
import { type Found, openCallerCache } from './caller-cache.ts';
import { hashKey, isWellFormedKey } from './key.ts';
import { findActiveSession, touchSession } from './sessions-store.ts';
import { findActiveKey, touchKeys } from './store.ts';
import { hashToken, isToken } from './token.ts';

/** What a request is authenticated with: an API key, or the token of a session. */
export type Credential = { key: string; token?: undefined } | { key?: undefined; token: string };

export interface Authenticator {
  /** Returns the caller of a key. Throws 401 `api_key_missing` or `api_key_invalid` (the same for unknown, revoked and expired keys). */
  authenticate(header: string | string[] | undefined): Promise<Caller>;
  /** Returns the caller of a session, and records its use. Throws 401 `session_invalid`. */
  authenticateSession(token: string): Promise<Caller>;
  /** Throws 401 if the key or session is no longer valid. Does not count as a use. */
  check(credential: Credential): Promise<void>;
  /** Clears the cache, so that this process sees a changed key or an ended session immediately. */
  clearCache(): void;
  /** Writes the times at which keys were last used. */
  flush(): Promise<void>;
}

const touchStepMs = 60_000;
/** Sessions of which a process remembers that their use is recorded. */
const sessionsMax = 10_000;

/** Authenticates from a cache, so that most requests cost no query. */
export function openAuthenticator(deps: { db: Db; clock: Clock; log: Log }): Authenticator {
  const keys = openCallerCache(deps);
  const sessions = openCallerCache(deps);
  let used = new Set<string>();
  let flushedAt = deps.clock.steady();

  async function queryKey(key: string, now: number): Promise<Found> {
    const row = isWellFormedKey(key) ? await findActiveKey(deps.db, hashKey(key), new Date(now)) : undefined;
    if (!row) throw invalidKey();
    const { id, account_id: accountId, name } = row;
    const caller = { kind: 'key' as const, id, accountId, keyId: id, name, scopes: withIncluded(row.scopes) };
    return { caller, expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY };
  }

  async function querySession(token: string, now: number): Promise<Found> {
    const row = isToken(token)
      ? await findActiveSession(deps.db, hashToken(token), new Date(now))
      : undefined;
    if (!row) throw endedSession();
    const { id, account_id: accountId, key_id: keyId, name } = row;
    const caller = { kind: 'session' as const, id, accountId, keyId, name, scopes: withIncluded(row.scopes) };
    const keyExpiresAt = row.key_expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
    return { caller, expiresAt: Math.min(row.ends_at.getTime(), keyExpiresAt) };
  }

  const findKey = (key: string) => keys.find(key, (now) => queryKey(key, now));
  const findSession = (token: string) => sessions.find(token, (now) => querySession(token, now));

  async function flush(): Promise<void> {
    const now = deps.clock.now();
    flushedAt = deps.clock.steady();
    const ids = [...used];
    used = new Set();
    if (ids.length === 0) return;
    const at = new Date(Math.floor(now / touchStepMs) * touchStepMs);
    await touchKeys(deps.db, ids, at).catch((error) => deps.log.warn({ err: error }, 'keys.touch_failed'));
  }

  /** Sessions whose use was recorded in the last minute. */
  const recorded = openCache<true>({ max: sessionsMax, lifetime: { ms: touchStepMs, clock: deps.clock } });

  function noteUse(id: string): void {
    if (recorded.get(id)) return;
    recorded.set(id, true);
    touchSession(deps.db, id, new Date(deps.clock.now())).catch((error) => {
      recorded.delete(id);
      deps.log.warn({ err: error }, 'sessions.touch_failed');
    });
  }

  return {
    flush,
    async authenticate(header) {
      const key = Array.isArray(header) ? header.join(',') : header;
      if (!key) {
        throw new AppError('api_key_missing', 'The API key is missing. Send it in the X-API-Key header.');
      }
      const caller = await findKey(key);
      used.add(caller.id);
      // a process without workers must flush by itself
      if (deps.clock.steady() - flushedAt >= touchStepMs) void flush();
      return caller;
    },
    async authenticateSession(token) {
      const caller = await findSession(token);
      noteUse(caller.id);
      return caller;
    },
    async check({ key, token }) {
      if (key === undefined) await findSession(token);
      else await findKey(key);
    },
    clearCache() {
      keys.clear();
      sessions.clear();
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

/** 401 with the same text for every session that is not valid. */
export function endedSession(): AppError {
  return new AppError(
    'session_invalid',
    'The session has ended. Sign in again with an API key or a new link.',
  );
}

/** Throws 403 unless the caller's key has the route's scope. */
export function requireScope(caller: Caller, scope: string): void {
  if (caller.scopes.has(scope)) return;
  throw new AppError(
    'forbidden',
    caller.kind === 'session'
      ? `This session lacks the scope ${scope}. Sign in with a key or a link that has it.`
      : `This API key lacks the scope ${scope}. Use or create a key that has it.`,
  );
}
