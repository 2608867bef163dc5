// For how long the platform may try to deliver a message of a template. Pure.
import type { Problem } from '../../base/errors.ts';

/** Seconds that a category allows (Cloud API, "Time-to-live"); -1 is 30 days. */
const ttlRanges: Record<string, readonly [least: number, most: number]> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
};

/** The problem of a time to live for a category; none for null, the platform's default. */
export function ttlProblems(category: string, seconds: number | null | undefined): Problem[] {
  const range = ttlRanges[category.toUpperCase()];
  if (seconds === undefined || seconds === null || !range) return [];
  if (seconds === -1 && category.toUpperCase() !== 'MARKETING') return [];
  const [least, most] = range;
  if (seconds >= least && seconds <= most) return [];
  const message = `must be ${least} to ${most} seconds for the category ${category.toUpperCase()}`;
  return [{ path: 'messageTtlSeconds', message }];
}
