// The periods of the home charts, and today a week ago. Pure.
import { addDays, civilDate, instantOf } from '../text/civil.ts';

export const periods = ['day', 'month'] as const;
export type Period = (typeof periods)[number];

const quarterMs = 900_000;

/** Today until now, a week ago: from midnight to the quarter of an hour that it is. */
export function weekAgo(nowMs: number, zone: string): { from: string; to: string } {
  const today = civilDate(new Date(nowMs), zone);
  const midnight = instantOf(today, 0, zone).getTime();
  const from = instantOf(addDays(today, -7), 0, zone).getTime();
  const passedMs = Math.max(quarterMs, Math.floor((nowMs - midnight) / quarterMs) * quarterMs);
  return { from: new Date(from).toISOString(), to: new Date(from + passedMs).toISOString() };
}
