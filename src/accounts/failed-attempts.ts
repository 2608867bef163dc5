// Failed authentication: beyond a limit per minute and address, responses are delayed by one second.
import type { RateCount } from '../http/rates.ts';

/** Failures per minute and address without a delay. */
export const failuresPerMinute = 60;
const waitMs = 1_000;
/** Maximum delayed responses of one address; beyond it, connections are closed. */
const delayedMax = 20;

/** What happens to a request whose authentication failed. */
export type Verdict = { isAnswered: true; retryAfterSeconds?: number } | { isAnswered: false };

export interface FailedAttemptsDeps<Request> {
  /** Counts a failure of the request's address; `ttl` is the rest of its minute in milliseconds. */
  count(request: Request): Promise<RateCount>;
  wait(ms: number): Promise<unknown>;
}

/**
 * Returns a function to call after each failed authentication. It resolves when the response may be sent: immediately for the
 * first failures of a minute, then after a second, with a Retry-After. `isAnswered: false` means that too many responses of the
 * address are already delayed, and the connection should be closed. Requests with a valid key are not affected.
 */
export function openFailedAttempts<Request>(deps: FailedAttemptsDeps<Request>) {
  /** Number of delayed responses by address. */
  const delayed = new Map<string, number>();

  return async (request: Request, address: string): Promise<Verdict> => {
    const { isExceeded = false, ttl = 0 } = await deps.count(request);
    if (!isExceeded) return { isAnswered: true };
    const others = delayed.get(address) ?? 0;
    if (others >= delayedMax) return { isAnswered: false };
    delayed.set(address, others + 1);
    try {
      await deps.wait(waitMs);
    } finally {
      const rest = (delayed.get(address) ?? 1) - 1;
      if (rest === 0) delayed.delete(address);
      else delayed.set(address, rest);
    }
    return { isAnswered: true, retryAfterSeconds: Math.max(1, Math.ceil((ttl - waitMs) / 1000)) };
  };
}
