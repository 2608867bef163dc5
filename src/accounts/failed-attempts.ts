// Failed authentication: over a limit for each minute and address, responses are delayed by a second.
import type { RateCount } from '../http/rates.ts';

/** Failures a minute and address that are answered immediately. */
export const failuresPerMinute = 60;
const waitMs = 1_000;
/** Waiting answers of one address; beyond them its connections are closed. */
export const waitsMax = 20;

/** What happens to a request whose authentication failed. */
export type Verdict = { isAnswered: true; retryAfterSeconds?: number } | { isAnswered: false };

export interface FailedAttemptsDeps<Request> {
  /** Counts a failure of the request's address; `ttl` is the rest of its minute in milliseconds. */
  count(request: Request): Promise<RateCount>;
  wait(ms: number): Promise<unknown>;
}

/**
 * Returns a function that is called after each failed authentication and resolves when its answer may be sent: at once
 * for the first failures of a minute, then after a second with a Retry-After. `isAnswered: false` means that too many
 * answers of the address wait already, and the connection should be closed. Whoever has a valid key never comes here.
 */
export function openFailedAttempts<Request>(deps: FailedAttemptsDeps<Request>) {
  /** Waiting answers by address. */
  const waiting = new Map<string, number>();

  return async (request: Request, address: string): Promise<Verdict> => {
    const { isExceeded = false, ttl = 0 } = await deps.count(request);
    if (!isExceeded) return { isAnswered: true };
    const others = waiting.get(address) ?? 0;
    if (others >= waitsMax) return { isAnswered: false };
    waiting.set(address, others + 1);
    try {
      await deps.wait(waitMs);
    } finally {
      const rest = (waiting.get(address) ?? 1) - 1;
      if (rest === 0) waiting.delete(address);
      else waiting.set(address, rest);
    }
    return { isAnswered: true, retryAfterSeconds: Math.max(1, Math.ceil((ttl - waitMs) / 1000)) };
  };
}
