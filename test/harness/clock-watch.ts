// A clock watch for tests, with clocks that the test moves.
import { sql } from 'kysely';
import { systemClock } from '../../src/base/clock.ts';
import { openMetrics } from '../../src/base/metrics.ts';
import type { Db } from '../../src/db/db.ts';
import { type ClockWatchDeps, openClockWatch } from '../../src/work/clock-watch.ts';

/** Opens a clock watch with its log, metrics and test clocks. */
export function openTestWatch(db: Db) {
  const logged: object[] = [];
  const own = { wallMs: 0, sleptMs: 0 };
  const deps: ClockWatchDeps = {
    db,
    clock: {
      ...systemClock,
      now: () => Date.now() + own.wallMs,
      steady: () => systemClock.steady() + own.sleptMs,
    },
    log: { warn: (approximately: object) => logged.push(approximately), info: () => undefined } as never,
    metrics: openMetrics(),
  };
  const watch = openClockWatch(deps).round;
  const counted = async () =>
    Object.fromEntries(
      (await (deps.metrics as ReturnType<typeof openMetrics>).clockSteps.get()).values.map((one) => [
        `${one.labels.clock} ${one.labels.direction}`,
        one.value,
      ]),
    );
  return { watch, logged, counted, own, metrics: deps.metrics as ReturnType<typeof openMetrics> };
}

/** Simulates a backward step of the database's clock by 20 minutes. */
export const stepClockBack = (db: Db) =>
  sql`update database_clock set seen_at = clock_timestamp() + interval '20 minutes'`.execute(db);

/** Matches within three seconds: a step is noticed up to two seconds late, and the machine may be busy. */
export const approximately = (seconds: number) => ({
  asymmetricMatch: (found: unknown) =>
    typeof found === 'number' && found > seconds - 8 && found < seconds + 3,
  toString: () => `about ${seconds} s`,
});
