// Retries of a write that only this process can make.
import type { Clock } from '../base/clock.ts';

export interface WriteRetries {
  clock: Clock;
  /** Errors after which the write is repeated. */
  isRetryable: (error: unknown) => boolean;
  /** Called after the first failure that will be retried. */
  onDelayed?: (error: unknown) => void;
  /** The instant of `clock.steady()` from which no further attempt follows; without it, attempts end with `stopping` alone. */
  untilMs?: number;
  longestDelayMs: number;
}

const firstDelayMs = 250;

/**
 * Repeats a write, with increasing delays, until it succeeds, fails with an error that is not retryable, or time is up. When `stopping` aborts, it makes
 * one last attempt immediately. Throws the last error. The write must be safe to repeat.
 */
export async function retryWrite<T>(
  write: () => Promise<T>,
  stopping: AbortSignal,
  { clock, isRetryable, onDelayed, untilMs = Number.POSITIVE_INFINITY, longestDelayMs }: WriteRetries,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    const isLast = stopping.aborted || clock.steady() >= untilMs;
    try {
      return await write();
    } catch (error) {
      if (isLast || !isRetryable(error)) throw error;
      if (failures === 0) onDelayed?.(error);
      await clock.sleep(Math.min(firstDelayMs * 2 ** failures, longestDelayMs), stopping);
    }
  }
}
