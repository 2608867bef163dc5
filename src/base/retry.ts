// Retries with jitter within one deadline for operations that are safe to repeat, and the outcome of all attempts.
import type { Clock } from './clock.ts';
import { VendorError } from './errors.ts';

/** The limits of one attempt, which may make several calls. */
export interface AttemptLimits {
  /** Deadline in milliseconds of `performance.now()`. */
  until: number;
  signal: AbortSignal | undefined;
}

/** The limits of an attempt that starts now. */
export function attemptLimits(timeoutMs: number, signal?: AbortSignal): AttemptLimits {
  return { until: performance.now() + timeoutMs, signal };
}

export interface RetryDeps {
  clock: Clock;
  /** Timeout of one attempt, so that a lost response leaves time for another. */
  attemptTimeoutMs: number;
  /** Codes of rejections that are based on the object's state after all attempts, so they hold even if an earlier outcome is unknown. */
  conclusiveCodes: ReadonlySet<string>;
}

/** The code of an attempt without time for a call. The previous attempt's error is reported instead. */
export const noTimeLeft = 'no_time_left';

const firstDelayMs = 200;
const maxDelayMs = 4_000;

/**
 * Calls `attempt` until it succeeds, is rejected, or the time is up. If the outcome of any attempt is unknown, the whole outcome
 * is unknown, unless a later rejection has one of `conclusiveCodes`.
 */
export async function withRetries<T>(
  deps: RetryDeps,
  limits: { timeoutMs: number; signal?: AbortSignal | undefined },
  attempt: (limits: AttemptLimits) => Promise<T>,
): Promise<T> {
  const deadline = deps.clock.steady() + limits.timeoutMs;
  let mayHaveHappened = false;
  let previous: VendorError | undefined;
  for (let tries = 0; ; tries += 1) {
    const leftMs = deadline - deps.clock.steady();
    try {
      return await attempt(attemptLimits(Math.min(deps.attemptTimeoutMs, leftMs), limits.signal));
    } catch (raised) {
      if (!(raised instanceof VendorError)) throw raised;
      const error: VendorError = raised.code === noTimeLeft ? (previous ?? raised) : raised;
      previous = error;
      if (error.outcome === 'unknown') mayHaveHappened = true;
      const delayMs = retryDelayMs(error, tries);
      const outOfTime = deps.clock.steady() + delayMs >= deadline;
      if (error.outcome === 'rejected' || outOfTime || limits.signal?.aborted) {
        throw mayHaveHappened && !deps.conclusiveCodes.has(String(error.code)) ? asUnknown(error) : error;
      }
      await deps.clock.sleep(delayMs, limits.signal);
    }
  }
}

/** Exponential backoff with jitter; at least what the vendor asked for. */
function retryDelayMs(error: VendorError, tries: number): number {
  const span = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(tries, 10));
  const jittered = span / 2 + Math.random() * (span / 2);
  return Math.max(jittered, (error.retryAfterSeconds ?? 0) * 1000);
}

function asUnknown(error: VendorError): VendorError {
  if (error.outcome === 'unknown') return error;
  return new VendorError('unknown', error.message, {
    ...(error.code === undefined ? {} : { code: error.code }),
    ...(error.title === undefined ? {} : { title: error.title }),
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
    ...(error.status === undefined ? {} : { status: error.status }),
    cause: error,
  });
}
