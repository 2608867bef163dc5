// The stored checks of a sender: merged with each run, and reported once a change has lasted. Pure.
import type { CheckStatus } from '../../contract/senders.ts';
import type { CheckResult } from './checks.ts';

/** A check as it is stored: its result, and the status that was last reported to the owner. */
export interface StoredCheck extends CheckResult {
  checkedAt: string;
  /** The status of the last event, or of the first run. */
  reported: CheckStatus;
}

export interface StatusChange {
  name: string;
  from: string;
  to: string;
}

/**
 * Merges the results of a run with the stored checks. A new status is reported once two runs in a row had it; `unknown`
 * is never reported: it says nothing about the number.
 */
export function mergeChecks(
  stored: readonly StoredCheck[],
  results: readonly CheckResult[],
  now: number,
): { checks: StoredCheck[]; changed: StatusChange[] } {
  const before = new Map(stored.map((check) => [check.name, check]));
  const changed: StatusChange[] = [];
  const checkedAt = new Date(now).toISOString();
  const checks = results.map((result): StoredCheck => {
    const last = before.get(result.name);
    if (!last) return { ...result, checkedAt, reported: result.status };
    const { reported } = last;
    if (result.status === 'unknown' || result.status === reported || result.status !== last.status)
      return { ...result, checkedAt, reported };
    // the first known status is no change
    if (reported !== 'unknown') changed.push({ name: result.name, from: reported, to: result.status });
    return { ...result, checkedAt, reported: result.status };
  });
  return { checks, changed };
}

/** True if the next run decides whether a new status is reported. */
export const isNews = ({ status, reported }: StoredCheck): boolean =>
  status !== 'unknown' && reported !== 'unknown' && status !== reported;

/**
 * True if a run that began after `startedAt` has stored its checks: its readings are newer. A time that is further ahead than a run lasts is
 * another process's wrong clock.
 */
export const isOvertaken = (stored: readonly StoredCheck[], startedAt: number, longestMs: number): boolean =>
  stored.some(({ checkedAt }) => {
    const aheadMs = Date.parse(checkedAt) - startedAt;
    return aheadMs > 0 && aheadMs < longestMs;
  });
