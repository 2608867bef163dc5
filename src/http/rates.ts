// Rate limits of callers: each request counts against its key and its account.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';

/** The rate limiter's result for one request. */
export interface RateCount {
  isAllowed: boolean;
  isExceeded?: boolean;
  max?: number;
  timeWindow?: number;
  remaining?: number;
  /** Milliseconds until the window ends. */
  ttl?: number;
}

export interface RateCheck {
  /** The policy's name in the `RateLimit` headers. */
  policy: string;
  /** Who is limited, for the error message. */
  whose: string;
  check(request: FastifyRequest): Promise<RateCount>;
}

/**
 * Counts the request against each rate in order and sets the `RateLimit-Policy` and `RateLimit` headers
 * (draft-ietf-httpapi-ratelimit-headers) of the rate with the fewest requests left. Over a limit, throws 429 `rate_limited`
 * with Retry-After, and calls `onLimited` with the policy; the request then does not count against the remaining rates.
 */
export async function limitRates(
  request: FastifyRequest,
  reply: FastifyReply,
  rates: readonly RateCheck[],
  onLimited: (policy: string) => void = () => {},
): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY;
  for (const { policy, whose, check } of rates) {
    const {
      isAllowed,
      isExceeded,
      max = 0,
      timeWindow = 60_000,
      remaining = 0,
      ttl = 0,
    } = await check(request);
    if (isAllowed) continue;
    const resetSeconds = Math.max(1, Math.ceil(ttl / 1000));
    if (remaining < fewest || isExceeded) {
      fewest = remaining;
      reply.header('RateLimit-Policy', `"${policy}";q=${max};w=${Math.round(timeWindow / 1000)}`);
      reply.header('RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
    }
    if (isExceeded) {
      onLimited(policy);
      throw new AppError(
        'rate_limited',
        `More than ${max} requests a minute were sent with ${whose}. Retry after the time in Retry-After.`,
        { retryAfterSeconds: resetSeconds },
      );
    }
  }
}
