// The idle watch: finds what other processes left, although no notification of it arrived.
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import { findDueWork } from '../../src/db/due-work.ts';
import { openProcessSession } from '../../src/db/process-session.ts';
import { thisProgram } from '../../src/db/programs.ts';
import { idleAfterMs, openActivity } from '../../src/work/activity.ts';
import { openIdleWatch } from '../../src/work/idle-watch.ts';
import { startClockWatch, startUptime } from '../../src/workers.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  fixture = await openWebhooksFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await sql`delete from deliveries`.execute(fixture.db);
  await sql`delete from processes`.execute(fixture.db);
  await sql`update statistics_folds set folded_until = now()`.execute(fixture.db);
});

/** A delivery that is due at `at`, an SQL expression, and that no process was told of. */
async function leaveDelivery(at: string): Promise<void> {
  const account = await fixture.account();
  await fixture.endpoint(account, 'idle');
  await fixture.stages(account, uuidv7(), ['sent'], false);
  await sql`update deliveries set due_at = ${sql.raw(at)}, leased_by = null`.execute(fixture.db);
}

/** The watch of an idle process, which the test calls as the loop does every second. */
function open() {
  const seen = { nowMs: 0, announced: 0, performed: 0, nudged: [] as string[] };
  const activity = openActivity({
    clock: { steady: () => seen.nowMs },
    announce: async () => {
      seen.announced += 1;
    },
  });
  const watch = openIdleWatch({
    hot: fixture.hot,
    processId: 0,
    activity,
    nudge: (loop) => void seen.nudged.push(loop),
    perform: async () => {
      seen.performed += 1;
    },
  });
  seen.nowMs += idleAfterMs;
  return { seen, activity, watch };
}

test('an empty database has no due work, and the process stays idle', async () => {
  const { seen, activity, watch } = open();
  await watch();
  expect(Object.entries(await findDueWork(fixture.hot, 0)).filter(([, isDue]) => isDue)).toEqual([]);
  expect([activity.isIdle(), seen.nudged, seen.performed]).toEqual([true, [], 1]);
});

test('work without a notification wakes the process within a second, and announces nothing', async () => {
  const { seen, activity, watch } = open();
  await leaveDelivery('now()');
  // called every second
  await watch();
  expect([activity.isIdle(), seen.announced]).toEqual([false, 0]);
});

test('work that becomes due before the next look wakes the process now, later work does not', async () => {
  const { activity, watch } = open();
  await leaveDelivery("now() + interval '20 seconds'");
  await watch();
  expect(activity.isIdle()).toBe(true);
  await sql`update deliveries set due_at = now() + interval '2 seconds'`.execute(fixture.db);
  // a second without a look, then one
  await watch();
  await watch();
  expect(activity.isIdle()).toBe(false);
});

test('the remains of an ended process run their loop once, without waking the others', async () => {
  const { seen, activity, watch } = open();
  await sql`insert into processes default values`.execute(fixture.db);
  await watch();
  expect([activity.isIdle(), seen.nudged]).toEqual([true, ['releaseLeases']]);
});

test('looks every second while another process is connected, and every two seconds while none is', async () => {
  const { seen, watch } = open();
  for (let second = 1; second <= 4; second++) await watch();
  expect(seen.performed).toBe(2);
  const session = await openProcessSession({
    connection: fixture.database.connection,
    program: await thisProgram('1.0.0'),
    log: {} as never,
  });
  for (let second = 1; second <= 5; second++) await watch();
  expect(seen.performed).toBe(7);
  await session.close();
});

test('a process that is awake does not look', async () => {
  const { seen, activity, watch } = open();
  activity.wake();
  await watch();
  expect(seen.performed).toBe(0);
});

/** Times that no loop waits for: a lease of a claim, a time that is compared when its row is due, and those of workers that also run in an idle process. */
const notQueues = ['idempotency_keys', 'retention_runs', 'erasures'];

test('every time at which a row becomes due is part of the question', async () => {
  const { rows } = await sql<{ table: string; column: string }>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join pg_class t on t.relname = c.table_name and t.relnamespace = 'public'::regnamespace and not t.relispartition
    where c.table_schema = 'public' and c.column_name like '%due_at'`.execute(fixture.db);
  const question = readFileSync('src/db/due-work.ts', 'utf8');
  expect(rows.length).toBeGreaterThan(8);
  const missing = rows.filter(
    ({ table, column }) =>
      !notQueues.includes(table) &&
      !new RegExp(`from ${table}\\b[^\\n]*\\b${column}\\b`).test(question.replaceAll(/\n\s+/g, ' ')),
  );
  expect(missing).toEqual([]);
});

test('the loops of an idle process that follow callbacks and clocks continue when it wakes', async () => {
  const seen = { nowMs: idleAfterMs, flushed: 0, watched: 0 };
  const activity = openActivity({ clock: { steady: () => seen.nowMs }, announce: async () => {} });
  const deps = { clock: systemClock, log: openLog('silent'), activity };
  seen.nowMs += idleAfterMs;
  const flush = async () => {
    seen.flushed += 1;
  };
  const round = async () => {
    seen.watched += 1;
    return 0;
  };
  const workers = [
    startUptime({ ...deps, hot: fixture.hot, flush }),
    startClockWatch(deps, { round, read: async () => {} }),
  ];
  await expect.poll(() => [seen.flushed, seen.watched]).toEqual([1, 1]);
  activity.wake();
  await expect.poll(() => [seen.flushed, seen.watched]).toEqual([2, 2]);
  await Promise.all(workers.map((worker) => worker.stop()));
});
