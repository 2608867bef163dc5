// What "doctor" says of the clocks: this machine's, the database's, and how either was set of late.
import type { ClockStep } from '../db/database-clock.ts';

export interface Clocks {
  /** By the database's clock, in milliseconds since the epoch. */
  databaseMs: number;
  /** By this machine's, at the same moment. */
  machineMs: number;
  /** Newest first. */
  steps: readonly (ClockStep & { noticedAt: Date })[];
}

/** Further apart, what one of them dates looks wrong to the other: expiries, and times in answers. */
const apartSeconds = 2;

/** One line; it begins with `!` if somebody should look at it. `clocks` is undefined where no database was reached. */
export function clockFinding(nowMs: number, clocks: Clocks | undefined): string {
  const now = new Date(nowMs).toISOString();
  if (!clocks) return now;
  const ahead = (clocks.databaseMs - clocks.machineMs) / 1000;
  const isApart = Math.abs(ahead) >= apartSeconds;
  const database = isApart
    ? `the database's clock is ${Math.abs(ahead).toFixed(1)} s ${ahead < 0 ? 'behind' : 'ahead'}: keep both by NTP`
    : `the database's clock is within ${Math.max(0.1, Math.abs(ahead)).toFixed(1)} s`;
  const steps = clocks.steps.map(
    ({ clock, machine, seconds, noticedAt }) =>
      `${clock === 'database' ? "the database's" : `${machine}'s`} by ${Math.abs(seconds).toFixed(1)} s ${seconds < 0 ? 'backward' : 'forward'} at ${noticedAt.toISOString()}`,
  );
  const stepped = steps.length > 0 ? `; stepped in the last week: ${steps.join(', ')}` : '';
  return `${isApart || steps.length > 0 ? '!' : ''}${now}; ${database}${stepped}`;
}
