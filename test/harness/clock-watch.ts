// A watch of the clocks whose steps a test makes.
import { sql } from 'kysely';
import { systemClock } from '../../src/base/clock.ts';
import { openMetrics } from '../../src/base/metrics.ts';
import type { Db } from '../../src/db/db.ts';
import { type ClockWatchDeps, openClockWatch } from '../../src/work/clock-watch.ts';

/** A watch, what it logs, and clocks that the test moves. */
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
    log: { warn: (about: object) => logged.push(about), info: () => undefined } as never,
    metrics: openMetrics(),
  };
  const look = openClockWatch(deps);
  const counted = async () =>
    Object.fromEntries(
      (await (deps.metrics as ReturnType<typeof openMetrics>).clockSteps.get()).values.map((one) => [
        `${one.labels.clock} ${one.labels.direction}`,
        one.value,
      ]),
    );
  return { look, logged, counted, own, metrics: deps.metrics as ReturnType<typeof openMetrics> };
}

/** As if the database's clock had been set back by 20 minutes a moment ago. */
export const stepClockBack = (db: Db) =>
  sql`update database_clock set seen_at = clock_timestamp() + interval '20 minutes'`.execute(db);

/** Within the two seconds that nobody knows of a step, and a busy moment. */
export const about = (seconds: number) => ({
  asymmetricMatch: (found: unknown) =>
    typeof found === 'number' && found > seconds - 8 && found < seconds + 3,
  toString: () => `about ${seconds} s`,
});
