// Repeats what is safe to repeat, with jitter, inside one deadline, and says truly what became of the whole.
import type { Clock } from './clock.ts';
import { VendorError } from './errors.ts';

/** What one attempt may use, however many calls it makes. */
export interface AttemptLimits {
  /** By `performance.now()`. */
  until: number;
  signal: AbortSignal | undefined;
}

/** The limits of one attempt that begins now. */
export function attemptOf(timeoutMs: number, signal?: AbortSignal): AttemptLimits {
  return { until: performance.now() + timeoutMs, signal };
}

export interface RetryDeps {
  clock: Clock;
  /** One attempt's share, so that a lost answer leaves time for another try. */
  attemptTimeoutMs: number;
  /** Codes of refusals that rest on the thing as it was seen after every attempt: no earlier attempt can contradict them. */
  seenAfterwards: ReadonlySet<string>;
}

/** The code of an attempt that ended before it could call: the error of the attempt before it says more. */
export const noTimeLeft = 'no_time_left';

const firstDelayMs = 200;
const maxDelayMs = 4_000;

/**
 * Calls `attempt` until it succeeds, is rejected, or the time is up. An attempt whose outcome stayed unknown makes the
 * whole unknown, whatever a later one says, unless that one saw the thing itself.
 */
export async function withRetries<T>(
  deps: RetryDeps,
  limits: { timeoutMs: number; signal?: AbortSignal | undefined },
  attempt: (limits: AttemptLimits) => Promise<T>,
): Promise<T> {
  const deadline = deps.clock.steady() + limits.timeoutMs;
  let mayHaveHappened = false;
  let before: VendorError | undefined;
  for (let tries = 0; ; tries += 1) {
    const leftMs = deadline - deps.clock.steady();
    try {
      return await attempt(attemptOf(Math.min(deps.attemptTimeoutMs, leftMs), limits.signal));
    } catch (raised) {
      if (!(raised instanceof VendorError)) throw raised;
      const error: VendorError = raised.code === noTimeLeft ? (before ?? raised) : raised;
      before = error;
      if (error.outcome === 'unknown') mayHaveHappened = true;
      const delayMs = delayOf(error, tries);
      const outOfTime = deps.clock.steady() + delayMs >= deadline;
      if (error.outcome === 'rejected' || outOfTime || limits.signal?.aborted) {
        throw mayHaveHappened && !deps.seenAfterwards.has(String(error.code)) ? asUnknown(error) : error;
      }
      await deps.clock.sleep(delayMs, limits.signal);
    }
  }
}

/** Half to all of a doubling span; never sooner than the other side asked. */
function delayOf(error: VendorError, tries: number): number {
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
