// Retries: their delays, their number, and the record of failed attempts.
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  fixture = await openWebhooksFixture({ random: () => 0.5 });
});
afterAll(() => fixture.close());
afterEach(() => fixture.pauseAll());

const hitsOf = (hook: string) => fixture.hooks.hitsOf(hook);
const statusesAt = (hook: string) => fixture.hooks.hitsOf(hook).map((hit) => hit.json.data.status);
const list = (accountId: string, query = '') => fixture.listed(accountId, query);

describe('a failed attempt', () => {
  it('is retried after 5 s with the same webhook-id and a new timestamp', async () => {
    const account = await fixture.account();
    const { id, secret } = await fixture.endpoint(account, 'again');
    fixture.hooks.answer('again', () => ({ status: 503, body: 'closed for lunch' }));
    fixture.clock.nowMs = Date.now() - 60_000;
    await fixture.stages(account, uuidv7(), ['sent']);
    await until(async () =>
      expect((await list(account))[0]).toMatchObject({ attempts: 1, status: 'pending' }),
    );
    fixture.clock.nowMs = undefined;
    const [item] = await list(account);
    const wait = new Date(item.nextAttemptAt).getTime() - Date.now();
    expect(wait).toBeGreaterThan(2_000);
    expect(wait).toBeLessThanOrEqual(5_000);
    expect(item).toMatchObject({ lastStatusCode: 503, lastFailure: 'status' });
    fixture.hooks.answer('again', () => ({ status: 204 }));
    await fixture.makeDue(id);
    await fixture.deliveries.claimDue();
    await until(async () =>
      expect((await list(account))[0]).toMatchObject({ status: 'delivered', attempts: 2 }),
    );
    const [first, second] = hitsOf('again').map((hit) => hit.headers);
    expect(first?.['webhook-id']).toBe(second?.['webhook-id']);
    expect(Number(second?.['webhook-timestamp'])).toBeGreaterThan(Number(first?.['webhook-timestamp']));
    expect(hitsOf('again')[0]?.body).toBe(hitsOf('again')[1]?.body);
    expect(
      new Webhook(secret).verify(hitsOf('again')[1]?.body ?? '', second as Record<string, string>),
    ).toBeTruthy();
    const { body } = await fixture.call(account, 'GET', `/v1/webhooks/deliveries/${item._id}`);
    expect(body.data.attemptLog).toMatchObject([
      { number: 1, statusCode: 503, failure: 'status', answer: 'closed for lunch' },
      { number: 2, statusCode: 204, failure: null },
    ]);
    expect(body.data.body).toBe(hitsOf('again')[0]?.body);
  });

  it('is the last one after ten attempts: the delivery is dead, and the next stage starts', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'ten');
    fixture.hooks.answer('ten', (hit) => ({ status: hit.json.data.status === 'sent' ? 500 : 200 }));
    await fixture.stages(account, uuidv7(), ['sent', 'delivered']);
    await until(async () => {
      await sql`update endpoints set paused_until = null where id = ${id}`.execute(fixture.db);
      await fixture.makeDue(id);
      await fixture.deliveries.claimDue();
      expect(await list(account, '?status=dead')).toMatchObject([{ attempts: 10, lastFailure: 'status' }]);
    });
    expect(statusesAt('ten').filter((name) => name === 'sent')).toHaveLength(10);
    await sql`update endpoints set paused_until = null where id = ${id}`.execute(fixture.db);
    await until(async () => {
      await fixture.deliveries.claimDue();
      expect(statusesAt('ten').at(-1)).toBe('delivered');
    });
  });

  it('is retried after the time of Retry-After, as are the endpoint’s other deliveries', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'later');
    fixture.hooks.answer('later', () => ({ status: 429, headers: { 'retry-after': '120' } }));
    await fixture.stages(account, uuidv7(), ['sent']);
    await until(async () => expect((await list(account))[0]?.attempts).toBe(1));
    const [item] = await list(account);
    const wait = new Date(item.nextAttemptAt).getTime() - Date.now();
    expect(wait).toBeGreaterThan(110_000);
    expect(wait).toBeLessThanOrEqual(120_000);
    await fixture.stages(account, uuidv7(), ['sent']);
    await fixture.makeDue(id);
    expect(await fixture.deliveries.claimDue()).toBe(0);
    expect(hitsOf('later')).toHaveLength(1);
  });
});
