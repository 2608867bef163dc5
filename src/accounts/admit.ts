// Admission of a request: its key, the key's scope, and the rates of the key, its account, and the failures of its address.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Db } from '../db/db.ts';
import { recordNotice } from '../db/operator-notices.ts';
import { addressKey, isPrivateAddress } from '../http/client-address.ts';
import { limitRates, type RateCheck } from '../http/rates.ts';
import type { Server } from '../http/request.ts';
import { type Authenticator, requireScope } from './authenticate.ts';
import { failuresPerMinute, openFailedAttempts } from './failed-attempts.ts';

export interface AdmitDeps {
  db: Db;
  clock: Clock;
  log: Log;
  authenticator: Authenticator;
  /** Requests per minute and key; 0: no limit. */
  rateLimitPerMinute: number;
  /** Requests per minute of all keys of an account; 0: no limit. */
  accountRateLimitPerMinute: number;
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
}

const minuteMs = 60_000;
/** Counts kept in memory per limit; the least recently used are evicted. */
const countsMax = 20_000;
/** Interval between notices about an undeclared proxy. */
const noticeIntervalMs = 10 * minuteMs;

/**
 * Returns the check of every `/v1` request. Register the server's rate limiter first. Throws 401 (delayed with `wait`, see
 * `failed-attempts.ts`), 403 without the scope, and 429 over the rate of the key or its account.
 */
export function openAdmission(
  server: Server,
  deps: AdmitDeps,
  wait: (ms: number) => Promise<unknown> = sleep,
) {
  const limit = (max: number, keyGenerator: (request: FastifyRequest) => string) => {
    const options = { max, timeWindow: minuteMs, cache: countsMax, keyGenerator };
    return server.createRateLimit(options);
  };
  const rates: RateCheck[] = [];
  if (deps.rateLimitPerMinute > 0) {
    const check = limit(deps.rateLimitPerMinute, ({ caller }) => caller.keyId);
    rates.push({ policy: 'default', whose: 'this key', check });
  }
  if (deps.accountRateLimitPerMinute > 0) {
    const check = limit(deps.accountRateLimitPerMinute, ({ caller }) => `account:${caller.accountId}`);
    rates.push({ policy: 'account', whose: 'the keys of this account', check });
  }
  const delayFailure = openFailedAttempts<FastifyRequest>({
    count: limit(failuresPerMinute, (request) => `failures:${addressKey(request.ip)}`),
    wait,
  });
  const isBehindUndeclaredProxy = openProxyWatch(deps);

  /** Throws the error, possibly after a delay. Closes the connection if too many responses are already delayed. */
  async function rejectFailure(request: FastifyRequest, error: AppError): Promise<never> {
    if (isBehindUndeclaredProxy(request)) throw error;
    const verdict = await delayFailure(request, addressKey(request.ip));
    if (!verdict.isAnswered) request.raw.socket.destroy();
    else if (verdict.retryAfterSeconds !== undefined) {
      const { retryAfterSeconds } = verdict;
      throw new AppError(error.code, error.message, { ...error.details, retryAfterSeconds });
    }
    throw error;
  }

  return async (request: FastifyRequest, reply: FastifyReply, scope: string): Promise<void> => {
    try {
      request.caller = await deps.authenticator.authenticate(request.headers['x-api-key']);
    } catch (error) {
      if (isUnauthenticated(error)) await rejectFailure(request, error);
      throw error;
    }
    requireScope(request.caller, scope);
    await limitRates(request, reply, rates);
  };
}

const isUnauthenticated = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'api_key_missing' || error.code === 'api_key_invalid');

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
