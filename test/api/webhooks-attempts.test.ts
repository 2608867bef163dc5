// Attempts of a delivery: their records and the eight reasons of failure.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { attemptFailures } from '../../src/contract/deliveries.ts';
import type { Deliveries } from '../../src/webhooks/delivery/deliveries.ts';
import { type MisbehavingReceiver, startMisbehavingReceiver } from '../harness/misbehaving-receiver.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
/** Deliveries whose calls end after a second. */
let hasty: Deliveries;
let rude: MisbehavingReceiver;
beforeAll(async () => {
  fixture = await openWebhooksFixture();
  hasty = fixture.openAnotherProcess({}, { webhookTimeoutMs: 1_000 });
  rude = await startMisbehavingReceiver();
});
afterAll(async () => {
  await fixture.close();
  await rude.close();
});
afterEach(() => fixture.pauseAll());

/** Publishes one event to a new endpoint with this URL; returns the delivery after one attempt, as the API shows it. */
async function tried(url: string, deliveries = fixture.deliveries) {
  const account = await fixture.account();
  const { id } = await fixture.endpoint(account, 'unused', { url });
  await fixture.stages(account, uuidv7(), ['sent'], false);
  await fixture.makeDue(id, 'leases');
  await deliveries.claimDue();
  let item: { _id: string; attempts: number } | undefined;
  await until(async () => {
    [item] = await fixture.listed(account);
    expect(item?.attempts).toBe(1);
  });
  const shown = await fixture.call(account, 'GET', `/v1/webhooks/deliveries/${item?._id}`);
  return { account, id, delivery: shown.body.data };
}

describe('a failed attempt names one of eight reasons', () => {
  it.each([
    ['resets', 'reset', null],
    ['hangs-up', 'reset', null],
    ['speaks-gibberish', 'reset', null],
    ['says-nothing', 'timeout', null],
    ['drips-its-head', 'timeout', null],
    ['has-endless-headers', 'too_large', null],
    ['breaks-off', 'status', 500],
    ['drips-a-rejection', 'status', 503],
    ['answers-gigabytes', 'status', 500],
  ])('a receiver that %s: reason %s', async (manner, failure, status) => {
    const isSlow = manner === 'says-nothing' || manner.startsWith('drips-');
    const { delivery } = await tried(rude.url(manner), isSlow ? hasty : fixture.deliveries);
    expect(delivery).toMatchObject({ status: 'pending', lastFailure: failure, lastStatusCode: status });
    expect(delivery.attemptLog).toMatchObject([{ number: 1, failure, statusCode: status }]);
    expect(delivery.attemptLog[0].durationMs).toBeLessThan(10_000);
  });

  it.each([301, 302, 307, 308, 400, 404, 429, 500])('a response of %i: reason status', async (status) => {
    const hook = `answers-${status}`;
    const elsewhere = rude.connections();
    fixture.hooks.answer(hook, () => ({ status, headers: { location: rude.url('redirected') } }));
    const { delivery } = await tried(fixture.hooks.url(hook));
    expect(delivery).toMatchObject({ lastFailure: 'status', lastStatusCode: status });
    expect(rude.connections(), 'no redirect is followed').toBe(elsewhere);
  });

  it('has the reason refused when nothing listens', async () => {
    const { delivery } = await tried('http://127.0.0.1:1/');
    expect(delivery.attemptLog).toMatchObject([
      { failure: 'refused', statusCode: null, answer: null, detail: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  it('has the reason dns for a name that does not exist', async () => {
    const { delivery } = await tried('http://nowhere.invalid/');
    expect(delivery.attemptLog).toMatchObject([
      { failure: 'dns', detail: expect.stringContaining('could not be resolved') },
    ]);
  });

  it('has the reason tls for a server without TLS', async () => {
    const { delivery } = await tried(rude.url('x').replace('http:', 'https:'));
    expect(delivery.attemptLog).toMatchObject([
      { failure: 'tls', detail: expect.stringContaining('the TLS connection failed') },
    ]);
  });

  it('has the reason blocked_address for a private address', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'blocked');
    await sql`update endpoints set url = 'http://10.0.0.1/', version = version + 1 where id = ${id}`.execute(
      fixture.db,
    );
    await fixture.stages(account, uuidv7(), ['sent']);
    await until(async () =>
      expect(await fixture.listed(account)).toMatchObject([{ attempts: 1, lastFailure: 'blocked_address' }]),
    );
    const [item] = await fixture.listed(account);
    const { body } = await fixture.call(account, 'GET', `/v1/webhooks/deliveries/${item._id}`);
    expect(body.data.attemptLog).toMatchObject([
      { failure: 'blocked_address', statusCode: null, detail: expect.stringContaining('10.0.0.1') },
    ]);
  });

  it('the database rejects any other reason', async () => {
    const { rows } = await sql<{ failure: string }>`
      select distinct failure from attempts where failure is not null`.execute(fixture.db);
    expect(rows.map((row) => row.failure).sort()).toEqual([...attemptFailures].sort());
    await expect(sql`update attempts set failure = 'bad_luck'`.execute(fixture.db)).rejects.toThrow('check');
    await expect(sql`update deliveries set last_failure = 'bad_luck'`.execute(fixture.db)).rejects.toThrow(
      'check',
    );
  });
});

describe('a 2xx is success', () => {
  it.each([
    ['takes-and-breaks-off', null],
    ['takes-with-gigabytes', 'g'.repeat(4_096)],
  ])('regardless of the response body: a receiver that %s', async (manner, answer) => {
    const { delivery } = await tried(rude.url(manner));
    expect(delivery).toMatchObject({ status: 'delivered', lastFailure: null, lastStatusCode: 200 });
    expect(delivery.attemptLog).toMatchObject([{ failure: null, answer }]);
  });
});

describe('each attempt stores', () => {
  it('the first 4 KB of the response in whole characters, for failures and successes', async () => {
    fixture.hooks.answer('long', () => ({ status: 500, body: `\0${'ü'.repeat(4_000)}` }));
    const { account, id, delivery } = await tried(fixture.hooks.url('long'));
    expect(delivery.attemptLog[0].answer).toBe(`\ufffd${'ü'.repeat(2_047)}`);
    fixture.hooks.answer('long', () => ({ status: 202, body: '{"saved":true}' }));
    await fixture.makeDue(id);
    await fixture.deliveries.claimDue();
    await until(async () => expect(await fixture.listed(account)).toMatchObject([{ status: 'delivered' }]));
    const path = `/v1/webhooks/deliveries/${delivery._id}`;
    const log = async () => (await fixture.call(account, 'GET', path)).body.data.attemptLog;
    expect(await log()).toMatchObject([
      { number: 1, statusCode: 500 },
      { number: 2, statusCode: 202, failure: null, answer: '{"saved":true}', detail: null },
    ]);
    await fixture.call(account, 'POST', `${path}/replay`);
    await fixture.deliveries.claimDue();
    await until(async () => expect(await log()).toHaveLength(3));
    expect((await log()).map((one: { answer: string }) => one.answer.slice(-14))).toEqual([
      'ü'.repeat(14),
      '{"saved":true}',
      '{"saved":true}',
    ]);
  });

  it('the address and headers that the receiver got', async () => {
    fixture.hooks.answer('shown', () => ({ status: 500 }));
    const { account, id, delivery } = await tried(fixture.hooks.url('shown'));
    const path = `/v1/webhooks/deliveries/${delivery._id}`;
    type Request = { url: string | null; headers: { name: string; value: string | null }[] };
    const requests = async (): Promise<Request[]> =>
      (await fixture.call(account, 'GET', path)).body.data.attemptLog.map(
        (one: { request: Request }) => one.request,
      );
    const valuesOf = ({ headers }: Request) => headers.map(({ name, value }) => [name, value]);
    const { connection: _, ...received } = fixture.hooks.hitsOf('shown')[0]?.headers ?? {};
    const [failed] = await requests();
    expect(failed?.url).toBe(fixture.hooks.url('shown'));
    expect(failed && valuesOf(failed)).toEqual(Object.entries(received));
    fixture.hooks.answer('shown', () => ({ status: 200 }));
    await fixture.makeDue(id);
    await fixture.deliveries.claimDue();
    await until(async () => expect(await requests()).toHaveLength(2));
    const succeeded = (await requests())[1];
    const unknown = { 'webhook-timestamp': null, 'webhook-signature': null };
    expect(succeeded && Object.fromEntries(valuesOf(succeeded))).toEqual({ ...received, ...unknown });
    const endpoint = `/v1/webhooks/endpoints/${id}`;
    await fixture.call(account, 'PATCH', endpoint, { url: fixture.hooks.url('elsewhere') });
    expect((await requests()).map(({ url }) => url)).toEqual([null, null]);
    await fixture.call(account, 'POST', `${endpoint}/rotate-secret`, { overlapSeconds: 0 });
    const signatures = (await requests()).flatMap(({ headers }) =>
      headers.filter(({ name }) => name.endsWith('signature')),
    );
    expect(signatures.map(({ value }) => value)).toEqual([null, null, null, null]);
    await fixture.call(account, 'DELETE', endpoint);
    expect(await requests()).toHaveLength(2);
  });

  it('its duration', async () => {
    const { delivery } = await tried(rude.url('says-nothing'), hasty);
    expect(delivery.attemptLog[0].durationMs).toBeGreaterThanOrEqual(690);
  });
});

describe('Retry-After', () => {
  it('of more than a day counts as one day, and rests the endpoint for 15 minutes', async () => {
    fixture.hooks.answer('never', () => ({ status: 503, headers: { 'retry-after': '9'.repeat(40) } }));
    const { id, delivery } = await tried(fixture.hooks.url('never'));
    const hour = 3_600_000;
    const waitMs = new Date(delivery.nextAttemptAt).getTime() - Date.now();
    expect(waitMs).toBeGreaterThan(23.9 * hour);
    expect(waitMs).toBeLessThanOrEqual(24 * hour);
    const { rows } = await sql<{ hours: number }>`
      select extract(epoch from paused_until - now())::float8 / 3600 as hours from endpoints where id = ${id}`.execute(
      fixture.db,
    );
    expect(rows[0]?.hours).toBeGreaterThan(0.24);
    expect(rows[0]?.hours).toBeLessThanOrEqual(0.25);
  });
});

describe('stopping the process', () => {
  it('during a call releases the lease instead of recording a failure', async () => {
    const cutting = await openWebhooksFixture({}, 30_000);
    const account = await cutting.account();
    await cutting.endpoint(account, 'unused', { url: rude.url('says-nothing') });
    const before = rude.connections();
    await cutting.stages(account, uuidv7(), ['sent']);
    await until(async () => expect(rude.connections()).toBe(before + 1));
    const stopped = cutting.deliveries.stop();
    await cutting.abortCalls();
    await stopped;
    const { rows } = await sql`select state, attempts, due_at <= now() as due from deliveries`.execute(
      cutting.db,
    );
    expect(rows).toEqual([{ state: 0, attempts: 0, due: true }]);
    await cutting.close();
  });
});
