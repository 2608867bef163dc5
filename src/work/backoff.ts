// When to try again: schedules of delays with jitter, and what the other side asked for. Pure.

export interface Schedule {
  /** The delay after the first failed try, after the second, …; past its end there is no further try. */
  delaysMs: readonly number[];
  /** How far a delay may be off, as a share of it (0.1: ±10 %), so that many rows do not come back at once. */
  jitter: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Tries of a webhook delivery (`api.md` part 7; the spacing of Standard Webhooks): ten in all, over 75 h 35 m. */
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

/** The longest wait that the other side may ask for. */
export const longestRetryAfterMs = 24 * hourMs;

/**
 * Milliseconds to wait after `failedTries` failed tries (1 or more); undefined when none is left. `random` is in
 * [0, 1). A longer wait that the other side asked for wins, up to 24 hours.
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
 * A `Retry-After` header (RFC 9110 section 10.2.3: seconds, or an HTTP date) in milliseconds from `nowMs`, 24 hours at
 * most; undefined if it is missing, malformed or past.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * secondMs : Date.parse(text) - nowMs;
  return wait > 0 ? Math.min(wait, longestRetryAfterMs) : undefined;
}
