// Recording deliveries while the database is unavailable: accepted deliveries are recorded later and not delivered again.
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { type Db, openDb } from '../../src/db/db.ts';
import type { DeliverySettings } from '../../src/webhooks/delivery/settings.ts';
import { publish } from '../../src/webhooks/publish.ts';
import type { TcpProxy } from '../faults/tcp-proxy.ts';
import { openDatabaseProxy } from '../harness/database-proxy.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, stageEvent, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
let proxy: TcpProxy;
let behindProxy: Db;
/** The delays between attempts to record; each lasts until the test ends it. */
let pauses: { ms: number; end: () => void }[];
let logged: string[];

beforeAll(async () => {
  fixture = await openWebhooksFixture();
  const way = await openDatabaseProxy(fixture.database.connection);
  proxy = way.proxy;
  behindProxy = openDb(way.connection, { maxConnections: 3, applicationName: 'behind proxy', hot: true });
  fixture.clock.sleep = (ms, signal) =>
    new Promise((end) => {
      pauses.push({ ms, end });
      if (signal?.aborted) end();
      signal?.addEventListener('abort', () => end(), { once: true });
    });
});
afterAll(async () => {
  fixture.clock.sleep = systemClock.sleep;
  await fixture.close();
  await behindProxy.destroy();
  await proxy.close();
});
beforeEach(() => {
  pauses = [];
  logged = [];
});
afterEach(async () => {
  fixture.clock.steadyMs = undefined;
  proxy.unblock();
  await fixture.pauseAll();
});

/**
 * Leases `count` deliveries to a process whose database connection is cut when the first one reaches the receiver. The
 * receiver accepts all of them.
 */
async function acceptedDuringOutage(hook: string, count = 1, settings: Partial<DeliverySettings> = {}) {
  const account = await fixture.account();
  await fixture.endpoint(account, hook);
  const write = (line: string) => void logged.push(JSON.parse(line).msg);
  const deliveries = fixture.openAnotherProcess(settings, {
    hot: behindProxy,
    log: pino({ level: 'info' }, { write }),
  });
  fixture.hooks.answer(hook, () => {
    if (pauses.length === 0) proxy.block();
    return { status: 200 };
  });
  const events = Array.from({ length: count }, () => stageEvent(account, uuidv7(), 'sent'));
  deliveries.offer(await fixture.hot.transaction().execute((tx) => publish({ deliveries }, tx, events)));
  const rows = async () =>
    (
      await sql<{ state: number; attempts: number }>`
        select state, attempts from deliveries where account_id = ${account}`.execute(fixture.db)
    ).rows;
  return { deliveries, rows, hits: () => fixture.hooks.hitsOf(hook).length };
}
const delivered = { state: 1, attempts: 1 };
const leased = { state: 0, attempts: 0 };

it('records a success when the database is available again, after increasing delays', async () => {
  const { rows, hits } = await acceptedDuringOutage('returns');
  for (const count of [1, 2, 3, 4, 5]) {
    await until(() => expect(pauses).toHaveLength(count));
    if (count < 5) pauses[count - 1]?.end();
  }
  expect(pauses.map(({ ms }) => ms)).toEqual([250, 500, 1_000, 2_000, 2_000]);
  expect(await rows()).toEqual([leased]);
  proxy.unblock();
  pauses[4]?.end();
  await until(async () => expect(await rows()).toEqual([delivered]));
  expect(hits()).toBe(1);
  await until(() => expect(logged).toEqual(['webhooks.record_delayed', 'webhooks.delivered']));
});

it('counts one attempt when the first commit succeeded and its response was lost', async () => {
  const { rows } = await acceptedDuringOutage('done');
  await until(() => expect(pauses).toHaveLength(1));
  await sql`update deliveries set state = 1, attempts = 1, due_at = null, delivered_at = now()
    where state = 0`.execute(fixture.db);
  proxy.unblock();
  pauses[0]?.end();
  await until(() => expect(logged).toContain('webhooks.delivered'));
  expect(await rows()).toEqual([delivered]);
});

it('stops retrying shortly before the lease ends', async () => {
  fixture.clock.steadyMs = 1_000_000;
  const { rows } = await acceptedDuringOutage('ends');
  await until(() => expect(pauses).toHaveLength(1));
  // the lease of 75 s without its margin of 5 s
  fixture.clock.steadyMs += 70_000;
  pauses[0]?.end();
  await until(() => expect(logged).toEqual(['webhooks.record_delayed', 'webhooks.not_recorded']));
  expect(pauses).toHaveLength(1);
  expect(await rows()).toEqual([leased]);
});

it('makes one last attempt without delay when the process stops', async () => {
  const returning = await acceptedDuringOutage('stops');
  await until(() => expect(pauses).toHaveLength(1));
  proxy.unblock();
  await returning.deliveries.stop();
  expect(await returning.rows()).toEqual([delivered]);
  pauses = [];
  const unavailable = await acceptedDuringOutage('stops-unavailable');
  await until(() => expect(pauses).toHaveLength(1));
  await unavailable.deliveries.stop();
  expect(await unavailable.rows()).toEqual([leased]);
});

it('starts no further call while the maximum of unrecorded successes is reached', async () => {
  const settings = { inFlightPerEndpoint: 1, unrecordedMax: 3 };
  const { rows, hits } = await acceptedDuringOutage('bounded', 6, settings);
  await until(() => expect(pauses).toHaveLength(3));
  expect(hits()).toBe(3);
  proxy.unblock();
  for (const { end } of pauses) end();
  await until(async () => expect(await rows()).toEqual(Array.from({ length: 6 }, () => delivered)));
  expect(hits()).toBe(6);
});
