// Resting endpoints: restingUntil, probes, ways to end a rest, and Retry-After of single deliveries.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  fixture = await openWebhooksFixture({ random: () => 0.5 });
});
afterAll(() => fixture.close());
afterEach(() => fixture.pauseAll());

const minuteMs = 60_000;
const dayMs = 86_400_000;
const inMs = (instant: string) => Date.parse(instant) - Date.now();

const show = async (account: string, id: string) =>
  (await fixture.call(account, 'GET', `/v1/webhooks/endpoints/${id}`)).body.data;
const pending = (account: string) => fixture.listed(account, '?status=pending');

/** An endpoint whose receiver responded to one delivery with 503 and `Retry-After` of a day, and now with 200. */
async function restingForADay(hook: string) {
  const account = await fixture.account();
  const { id } = await fixture.endpoint(account, hook);
  fixture.hooks.answer(hook, () => ({ status: 503, headers: { 'retry-after': '86400' } }));
  await fixture.stages(account, uuidv7(), ['sent']);
  await until(async () => expect((await pending(account))[0]?.attempts).toBe(1));
  fixture.hooks.answer(hook, () => ({ status: 200 }));
  const delayed = (await pending(account))[0]._id as string;
  return { account, id, delayed };
}

/** Runs the worker's rounds until `count` deliveries of the account have arrived. */
async function arrive(account: string, count: number): Promise<void> {
  await until(async () => {
    await fixture.runMaintenance();
    await fixture.deliveries.claimDue();
    expect(await fixture.listed(account, '?status=delivered')).toHaveLength(count);
  });
}

it('a Retry-After of one day rests the endpoint for 15 minutes, and restingUntil shows it', async () => {
  const { account, id, delayed } = await restingForADay('shown');
  const { status, restingUntil } = await show(account, id);
  expect(status).toBe('active');
  expect(inMs(restingUntil)).toBeGreaterThan(14 * minuteMs);
  expect(inMs(restingUntil)).toBeLessThanOrEqual(15 * minuteMs);
  await fixture.stages(account, uuidv7(), ['sent']);
  for (const item of await pending(account)) {
    if (item._id === delayed) expect(inMs(item.nextAttemptAt)).toBeGreaterThan(0.99 * dayMs);
    else expect(item.nextAttemptAt).toBe(restingUntil);
  }
  expect(await fixture.deliveries.claimDue()).toBe(0);
});

it('after a rest one delivery probes; its success releases the others, but not the one with Retry-After', async () => {
  const { account, id, delayed } = await restingForADay('probed');
  for (let count = 0; count < 3; count++) await fixture.stages(account, uuidv7(), ['sent']);
  await sql`update endpoints set paused_until = now() where id = ${id}`.execute(fixture.db);
  await sql`update deliveries set last_attempt_at = now() - interval '1 hour' where id = ${delayed}`.execute(
    fixture.db,
  );
  await fixture.stages(account, uuidv7(), ['sent']);
  // what its publisher attempts has no time of its own, then or when it is delivered
  const { rows } = await sql`select from deliveries where endpoint_id = ${id} and due_at is null`.execute(
    fixture.db,
  );
  expect(rows, 'attempted in addition to the probe').toHaveLength(0);
  expect(await fixture.deliveries.claimDue()).toBe(1);
  await arrive(account, 4);
  expect(await show(account, id)).toMatchObject({ restingUntil: null, failingSince: null });
  expect((await pending(account)).map((item) => item._id)).toEqual([delayed]);
  expect(inMs((await pending(account))[0].nextAttemptAt)).toBeGreaterThan(0.99 * dayMs);
});

it('a rest ends when the owner sets an active endpoint to active', async () => {
  const { account, id } = await restingForADay('restarted');
  await fixture.stages(account, uuidv7(), ['sent']);
  const { body } = await fixture.call(account, 'PATCH', `/v1/webhooks/endpoints/${id}`, { status: 'active' });
  expect(body.data).toMatchObject({ status: 'active', restingUntil: null, failingSince: null });
  await arrive(account, 1);
});

it('a rest continues when the owner changes something else', async () => {
  const { account, id } = await restingForADay('described');
  const { body } = await fixture.call(account, 'PATCH', `/v1/webhooks/endpoints/${id}`, {
    description: 'CRM',
  });
  expect(body.data.restingUntil).not.toBeNull();
});

it('a rest ends with a successful test event, not with a failed one', async () => {
  const { account, id } = await restingForADay('tested');
  await fixture.stages(account, uuidv7(), ['sent']);
  fixture.hooks.answer('tested', () => ({ status: 500 }));
  await fixture.call(account, 'POST', `/v1/webhooks/endpoints/${id}/test`);
  expect((await show(account, id)).restingUntil).not.toBeNull();
  fixture.hooks.answer('tested', () => ({ status: 200 }));
  await fixture.call(account, 'POST', `/v1/webhooks/endpoints/${id}/test`);
  expect((await show(account, id)).restingUntil).toBeNull();
  // the test event and the pending deliveries
  await arrive(account, 2);
});

it('a paused endpoint’s deliveries have no nextAttemptAt', async () => {
  const { account, id } = await restingForADay('paused');
  await fixture.call(account, 'PATCH', `/v1/webhooks/endpoints/${id}`, { status: 'paused' });
  expect((await pending(account))[0]).toMatchObject({ status: 'pending', nextAttemptAt: null });
  expect((await show(account, id)).restingUntil).toBeNull();
});
