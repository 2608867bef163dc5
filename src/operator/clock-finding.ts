// The finding of "doctor" about the clocks: their difference, and recent steps.
import type { ClockStep } from '../db/database-clock.ts';
import { type Found, note, ok } from './finding.ts';

export interface Clocks {
  /** The database's time, in milliseconds since the epoch. */
  databaseMs: number;
  /** This machine's time at the same moment. */
  machineMs: number;
  /** Recent steps, newest first. */
  steps: readonly (ClockStep & { noticedAt: Date })[];
}

/** A larger difference makes expiry times and times in responses look wrong. */
const maxOffsetSeconds = 2;

/** A note if the clocks differ or were set. `clocks` is undefined if no database was reached. */
export function clockFinding(nowMs: number, clocks: Clocks | undefined): Found {
  const now = new Date(nowMs).toISOString();
  if (!clocks) return ok(now);
  const ahead = (clocks.databaseMs - clocks.machineMs) / 1000;
  const isOff = Math.abs(ahead) >= maxOffsetSeconds;
  const database = isOff
    ? `the database's clock is ${Math.abs(ahead).toFixed(1)} s ${ahead < 0 ? 'behind' : 'ahead'}`
    : `the database's clock is within ${Math.max(0.1, Math.abs(ahead)).toFixed(1)} s`;
  const steps = clocks.steps.map(
    ({ clock, machine, seconds, noticedAt }) =>
      `${clock === 'database' ? "the database's" : `${machine}'s`} by ${Math.abs(seconds).toFixed(1)} s ${seconds < 0 ? 'backward' : 'forward'} at ${noticedAt.toISOString()}`,
  );
  const stepped = steps.length > 0 ? `; stepped in the last week: ${steps.join(', ')}` : '';
  const text = `${now}; ${database}${stepped}`;
  return isOff || steps.length > 0 ? note(text, 'Synchronize both machines with NTP.') : ok(text);
}
