// Admitting a request: its key, the key's scope, and the rates of the key, its account, and failures of its address.
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
  /** Requests a minute and key; 0: no limit. */
  rateLimitPerMinute: number;
  /** Requests a minute of all keys of an account together; 0: no limit. */
  accountRateLimitPerMinute: number;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  trustedProxies: string[];
}

const minuteMs = 60_000;
/** Counts kept in memory for each limit; the least recently used go first. */
const countsMax = 20_000;
/** A proxy that is not trusted is noted this often. */
const noticeStepMs = 10 * minuteMs;

/**
 * Returns the check that every `/v1` request passes. The server's rate limiter must be registered before. Throws 401 (see
 * `failed-attempts.ts`, whose delay `wait` is), 403 without the scope, and 429 past the rate of the key or of its account.
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
  const holdBack = openFailedAttempts<FastifyRequest>({
    count: limit(failuresPerMinute, (request) => `failures:${addressKey(request.ip)}`),
    wait,
  });
  const isBehindUnknownProxy = openProxyWatch(deps);

  /** Throws the error when it may be answered; closes the connection if too many answers wait already. */
  async function refuse(request: FastifyRequest, error: AppError): Promise<never> {
    if (isBehindUnknownProxy(request)) throw error;
    const verdict = await holdBack(request, addressKey(request.ip));
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
      if (isUnauthenticated(error)) await refuse(request, error);
      throw error;
    }
    requireScope(request.caller, scope);
    await limitRates(request, reply, rates);
  };
}

const isUnauthenticated = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'api_key_missing' || error.code === 'api_key_invalid');

/**
 * Whether a request came through a proxy of a private network that nobody declared: then all clients have the proxy's
 * address, and a limit by address would punish everyone for one. It is noted for the log and for `doctor`.
 */
function openProxyWatch(deps: AdmitDeps): (request: FastifyRequest) => boolean {
  let notedAt = Number.NEGATIVE_INFINITY;

  function note(address: string): void {
    const now = deps.clock.steady();
    if (now - notedAt < noticeStepMs) return;
    notedAt = now;
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
