// Retry delays: schedules with jitter, and `Retry-After`. Pure.

export interface Schedule {
  /** The delay after the first failed attempt, after the second, and so on. Beyond the last there is no retry. */
  delaysMs: readonly number[];
  /** The random deviation as a share of the delay (0.1: ±10 %), so that many rows do not retry together. */
  jitter: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Attempts of a webhook delivery, spaced as Standard Webhooks recommends: ten in all, over 75 h 35 m. */
export const webhookSchedule: Schedule = {
  delaysMs: [
    5 * secondMs,
    5 * minuteMs,
    30 * minuteMs,
    2 * hourMs,
    5 * hourMs,
    10 * hourMs,
    14 * hourMs,
    20 * hourMs,
    24 * hourMs,
  ],
  jitter: 0.1,
};

/** The longest `Retry-After` that is honored. */
export const longestRetryAfterMs = 24 * hourMs;

/**
 * Returns the delay in milliseconds after `failedAttempts` failed attempts (1 or more), or undefined if no retry is left.
 * `random` is in [0, 1). A longer requested delay takes precedence, up to 24 hours.
 */
export function retryDelayMs(
  schedule: Schedule,
  failedAttempts: number,
  random: number,
  retryAfterMs = 0,
): number | undefined {
  const delay = schedule.delaysMs[failedAttempts - 1];
  if (delay === undefined) return undefined;
  const spread = delay * (1 + schedule.jitter * (2 * random - 1));
  return Math.round(Math.max(spread, Math.min(retryAfterMs, longestRetryAfterMs)));
}

/**
 * Parses a `Retry-After` header (RFC 9110 section 10.2.3: seconds or an HTTP date). Returns milliseconds from `nowMs`, at most
 * 24 hours, or undefined if it is missing, malformed or in the past.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * secondMs : Date.parse(text) - nowMs;
  return wait > 0 ? Math.min(wait, longestRetryAfterMs) : undefined;
}
