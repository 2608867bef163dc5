// Admission of a request: its key or session, the scope, and the rates of the key, its account, the session, and failures of its address.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Db } from '../db/db.ts';
import { recordNotice } from '../db/operator-notices.ts';
import { addressKey, isPrivateAddress } from '../http/client-address.ts';
import { limitRates, type RateCheck } from '../http/rates.ts';
import type { Caller, RouteScope, Server } from '../http/request.ts';
import { type BrowserOrigins, sessionTokenOf } from '../http/session-cookie.ts';
import { type Authenticator, requireScope } from './authenticate.ts';
import { failuresPerMinute, openFailedAttempts } from './failed-attempts.ts';

export interface AdmitDeps {
  db: Db;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'rateLimited'>;
  authenticator: Authenticator;
  /** Requests per minute and key; 0: no limit. */
  rateLimitPerMinute: number;
  /** Requests per minute of all keys of an account; 0: no limit. */
  accountRateLimitPerMinute: number;
  /** Requests per minute and session; 0: no limit. */
  sessionRateLimitPerMinute: number;
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  /** Where browsers reach the gateway: where sessions work. */
  browserOrigins: () => BrowserOrigins;
}

export interface Admission {
  /** The check of every `/v1` request. Throws 401, 403, 421, and 429 over the rate of the caller. */
  admit(request: FastifyRequest, reply: FastifyReply, scope: RouteScope): Promise<void>;
  /** Throws the error of a failed authentication, delayed if its address failed too often. */
  rejectFailure(request: FastifyRequest, error: AppError): Promise<never>;
  /** Counts a request against the rates of its caller. Throws 429 over a limit. */
  limit(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

const minuteMs = 60_000;
/** Counts kept in memory per limit; the least recently used are evicted. */
const countsMax = 20_000;
/** Interval between notices about an undeclared proxy. */
const noticeIntervalMs = 10 * minuteMs;

/** Opens the admission of a server. Register its rate limiter first. `wait` delays failures (`failed-attempts.ts`). */
export function openAdmission(
  server: Server,
  deps: AdmitDeps,
  wait: (ms: number) => Promise<unknown> = sleep,
): Admission {
  const limit = (max: number, keyGenerator: (request: FastifyRequest) => string) => {
    const options = { max, timeWindow: minuteMs, cache: countsMax, keyGenerator };
    return server.createRateLimit(options);
  };
  const rates: RateCheck[] = [];
  if (deps.rateLimitPerMinute > 0) {
    const check = limit(deps.rateLimitPerMinute, ({ caller }) => caller.id);
    rates.push({ policy: 'default', whose: 'this key', check });
  }
  if (deps.accountRateLimitPerMinute > 0) {
    const check = limit(deps.accountRateLimitPerMinute, ({ caller }) => `account:${caller.accountId}`);
    rates.push({ policy: 'account', whose: 'the keys of this account', check });
  }
  const sessionRates: RateCheck[] = [];
  if (deps.sessionRateLimitPerMinute > 0) {
    const check = limit(deps.sessionRateLimitPerMinute, ({ caller }) => `session:${caller.id}`);
    sessionRates.push({ policy: 'session', whose: 'this session', check });
  }
  const delayFailure = openFailedAttempts<FastifyRequest>({
    count: limit(failuresPerMinute, (request) => `failures:${addressKey(request.ip)}`),
    wait,
  });
  const isBehindUndeclaredProxy = openProxyWatch(deps);
  const onLimited = (limit: string) => deps.metrics.rateLimited.inc({ limit });

  /** Throws the error, possibly after a delay. Closes the connection if too many responses are already delayed. */
  async function rejectFailure(request: FastifyRequest, error: AppError): Promise<never> {
    if (isBehindUndeclaredProxy(request)) throw error;
    const verdict = await delayFailure(request, addressKey(request.ip));
    if (!verdict.isAnswered || verdict.retryAfterSeconds !== undefined) onLimited('authentication');
    if (!verdict.isAnswered) request.raw.socket.destroy();
    else if (verdict.retryAfterSeconds !== undefined) {
      const { retryAfterSeconds } = verdict;
      throw new AppError(error.code, error.message, { ...error.details, retryAfterSeconds });
    }
    throw error;
  }

  /** A key decides alone, even an invalid one beside a valid session. */
  async function authenticate(request: FastifyRequest): Promise<Caller> {
    const key = request.headers['x-api-key'];
    if (key === undefined && request.headers.cookie !== undefined) {
      const token = sessionTokenOf(deps.browserOrigins(), request);
      if (token !== undefined) return deps.authenticator.authenticateSession(token);
    }
    return deps.authenticator.authenticate(key);
  }

  const limitCaller = (request: FastifyRequest, reply: FastifyReply) =>
    limitRates(request, reply, request.caller.kind === 'session' ? sessionRates : rates, onLimited);

  return {
    rejectFailure,
    limit: limitCaller,
    async admit(request, reply, scope) {
      if (scope === 'none') return;
      try {
        request.caller = await authenticate(request);
      } catch (error) {
        if (isUnauthenticated(error)) await rejectFailure(request, error);
        throw error;
      }
      if (scope !== 'any') requireScope(request.caller, scope);
      await limitCaller(request, reply);
    },
  };
}

const unauthenticated = new Set(['api_key_missing', 'api_key_invalid', 'session_invalid']);
const isUnauthenticated = (error: unknown): error is AppError =>
  error instanceof AppError && unauthenticated.has(error.code);

/**
 * Returns whether a request came through an undeclared proxy in a private network. All clients then have the proxy's
 * address, and a limit by address would affect all of them. Reports such proxies in the log and to `doctor`.
 */
function openProxyWatch(deps: AdmitDeps): (request: FastifyRequest) => boolean {
  let noticedAt = Number.NEGATIVE_INFINITY;

  function note(address: string): void {
    const now = deps.clock.steady();
    if (now - noticedAt < noticeIntervalMs) return;
    noticedAt = now;
    deps.log.warn(
      { address },
      'proxy.untrusted: set TRUSTED_PROXIES; failed authentication is not limited for requests through this proxy',
    );
    recordNotice(deps.db, 'untrusted_proxy', { detail: address, seenAt: new Date(deps.clock.now()) }).catch(
      (error) => deps.log.warn({ err: error }, 'notice.not_recorded'),
    );
  }

  return ({ headers, raw }) => {
    const address = raw.socket.remoteAddress ?? '';
    const isUnknown =
      deps.trustedProxies.length === 0 &&
      headers['x-forwarded-for'] !== undefined &&
      isPrivateAddress(address);
    if (isUnknown) note(address);
    return isUnknown;
  };
}
