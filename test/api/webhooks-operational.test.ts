// Operational events about webhook endpoints: who gets them, how often, and about what.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { announceOperational } from '../../src/webhooks/operational.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  fixture = await openWebhooksFixture();
});
afterAll(() => fixture.close());
afterEach(() => fixture.pauseAll());

const announce = () => announceOperational(fixture);
const everything = { events: ['messages.status', 'endpoints.status', 'deliveries.dead', 'senders.status'] };

/** The bodies of operational events to an endpoint, oldest first. */
async function eventsTo(endpointId: string) {
  const { rows } = await sql<{ body: string }>`
    select body from deliveries where endpoint_id = ${endpointId} and kind in ('endpoints.status', 'deliveries.dead') order by id`.execute(
    fixture.db,
  );
  return rows.map(({ body }) => JSON.parse(body));
}

const recorded = async (endpointId: string) => {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count), 0)::int as count from dead_deliveries where endpoint_id = ${endpointId}`.execute(
    fixture.db,
  );
  return rows[0]?.count;
};

/** An endpoint that answered 410, and a good one of the same account. */
async function goneEndpoint(hook: string) {
  const account = await fixture.account();
  const gone = await fixture.endpoint(account, hook, everything);
  const good = await fixture.endpoint(account, `${hook}-watch`, everything);
  fixture.hooks.answer(hook, () => ({ status: 410 }));
  await fixture.stages(account, uuidv7(), ['sent']);
  await until(async () => expect(await recorded(gone.id)).toBe(1));
  return { account, gone: gone.id, good: good.id };
}

it('tells the other endpoints, and never the endpoint itself, that it was disabled and what it did not get', async () => {
  const { account, gone, good } = await goneEndpoint('gone');
  await announce();
  const disabled = { _id: gone, status: 'disabled', disabledReason: 'gone: the receiver answered 410' };
  const [status, dead] = await eventsTo(good);
  expect(status).toMatchObject({
    event: 'endpoints.status',
    data: { endpoint: disabled, changed: [{ name: 'status', from: 'active', to: 'disabled' }] },
  });
  expect(dead).toMatchObject({
    event: 'deliveries.dead',
    data: { endpointId: gone, count: 1, reasons: { endpoint_disabled: 1 } },
  });
  expect(Date.parse(dead.data.from)).toBeLessThanOrEqual(Date.parse(dead.data.to));
  expect(await eventsTo(gone)).toEqual([]);
  expect((await fixture.listed(account, `?endpointId=${good}`)).length).toBe(3);
});

it('announces dead deliveries of an endpoint once a minute, and then all of them', async () => {
  const { account, gone, good } = await goneEndpoint('often');
  const deadEvents = async () => (await eventsTo(good)).filter(({ event }) => event === 'deliveries.dead');
  await announce();
  for (let count = 0; count < 2; count++) await fixture.stages(account, uuidv7(), ['sent']);
  expect(await recorded(gone)).toBe(2);
  await announce();
  expect(await deadEvents()).toHaveLength(1);
  // a minute later; and a time ahead, from before the database's clock stepped back, does not delay it for ever
  for (const at of [sql`now() - interval '61 seconds'`, sql`now() + interval '1 hour'`]) {
    await sql`update dead_announcements set at = ${at} where endpoint_id = ${gone}`.execute(fixture.db);
    await announce();
    await fixture.stages(account, uuidv7(), ['sent']);
  }
  expect((await deadEvents()).map(({ data }) => data.count)).toEqual([1, 2, 1]);
});

it('announces nothing about deliveries of operational events', async () => {
  const { account, gone, good } = await goneEndpoint('silent');
  await announce();
  await sql`update dead_announcements set at = now() - interval '1 hour'`.execute(fixture.db);
  // the event about the good endpoint is dead on arrival at the disabled one
  const path = `/v1/webhooks/endpoints/${good}`;
  await fixture.call(account, 'PATCH', path, { status: 'paused' });
  await announce();
  const [about] = await eventsTo(gone);
  expect(about).toMatchObject({ data: { changed: [{ from: 'active', to: 'paused' }] } });
  await announce();
  expect(await recorded(gone)).toBe(0);
  expect((await eventsTo(good)).filter(({ event }) => event === 'deliveries.dead')).toHaveLength(1);
});

it('an endpoint shows how many deliveries wait for it', async () => {
  const account = await fixture.account();
  const { id } = await fixture.endpoint(account, 'waits');
  const path = `/v1/webhooks/endpoints/${id}`;
  await fixture.call(account, 'PATCH', path, { status: 'paused' });
  await fixture.stages(account, uuidv7(), ['sent', 'delivered'], false);
  expect((await fixture.call(account, 'GET', path)).body.data).toMatchObject({
    status: 'paused',
    waiting: 2,
  });
});
