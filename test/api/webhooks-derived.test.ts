// Deliveries that do not store their body: shown, claimed and replayed byte for byte as the receiver got it.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { foldReports } from '../../src/messaging/messages/message.ts';
import { applyMoves } from '../../src/messaging/messages/moves-store.ts';
import { statusEvents } from '../../src/messaging/messages/status-events.ts';
import type { StatusReport } from '../../src/ports/platform.ts';
import { publish } from '../../src/webhooks/publish.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  fixture = await openWebhooksFixture();
});
afterAll(() => fixture.close());

const sentAt = 1_773_151_200;
const times = { sent: sentAt, delivered: sentAt + 2, read: sentAt + 60, failed: sentAt + 1 } as const;

/** Inserts an accepted message with metadata. */
async function message(accountId: string): Promise<{ id: string; wamid: string }> {
  const id = uuidv7();
  const wamid = `wamid.HBgM${id}`;
  await sql`
    insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, metadata, state, expires_at, wamid)
    values (${accountId}, ${id}, ${uuidv7()}, ${uuidv7()}, ${uuidv7()}, '919876543210', '{}', '{"zone": "Zürich 😀", "7": "b", "a": ""}',
      2, now(), ${wamid})`.execute(fixture.db);
  return { id, wamid };
}

/** Applies reports of these stages in one batch, as a callback does; returns the bodies of the published events. */
async function report(
  accountId: string,
  { id, wamid }: { id: string; wamid: string },
  names: readonly StatusReport['status'][],
  { offer = true } = {},
): Promise<string[]> {
  const reports = names.map((status) => ({
    ...{ phoneNumberId: '1', messageRef: wamid, correlationId: id, status, timestamp: times[status] },
    ...{ priceCategory: null, billable: null },
    error:
      status === 'failed' ? { code: 131_026, title: 'Undeliverable', message: 'Not on the platform.' } : null,
  }));
  const { leased, bodies } = await fixture.hot.transaction().execute(async (tx) => {
    const moved = await applyMoves(tx, [foldReports(accountId, id, reports)]);
    const events = statusEvents(moved, Date.now());
    const leased = await publish({ deliveries: fixture.deliveries }, tx, events);
    return { leased, bodies: events.map(({ body }) => body) };
  });
  if (offer) fixture.deliveries.offer(leased);
  return bodies;
}

const get = async (accountId: string, path: string) =>
  (await fixture.call(accountId, 'GET', `/v1/webhooks/deliveries${path}`)).body.data;
const received = (hook: string) => fixture.hooks.hitsOf(hook).map(({ body }) => body);

async function shown(accountId: string, query = ''): Promise<string[]> {
  const { items } = await get(accountId, `?status=delivered&limit=100${query}`);
  const whole = items.map(({ _id }: { _id: string }) => get(accountId, `/${_id}`));
  return (await Promise.all(whole)).map(({ body }) => body).toReversed();
}

const storedBodies = async (accountId: string) =>
  (await sql`select from deliveries where account_id = ${accountId} and body is not null`.execute(fixture.db))
    .rows.length;

describe('a delivery of a message stage', () => {
  it('is shown with the exact bytes that the receiver got, although none are stored', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'exact');
    const bodies = await report(account, await message(account), ['sent', 'delivered', 'read']);
    await until(() => expect(received('exact')).toEqual(bodies));
    await until(async () => expect(await shown(account)).toEqual(bodies));
    expect(await storedBodies(account)).toBe(0);
    expect(new Set(bodies.map((body) => JSON.parse(body).data.timestamp)).size).toBe(3);
  });

  it('is listed with its event and found by the platform’s id of its message', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'listed');
    const one = await message(account);
    await report(account, one, ['sent', 'delivered']);
    await report(account, await message(account), ['sent']);
    const { items } = await get(account, `?messageId=${one.wamid}`);
    expect(items).toMatchObject([1, 2].map(() => ({ event: 'messages.status', messageId: one.wamid })));
    // our id is not the message id of these events
    expect((await get(account, `?messageId=${one.id}`)).items).toEqual([]);
  });

  it('is claimed after a crash and replayed with the same bytes', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'claimed');
    const bodies = await report(account, await message(account), ['sent', 'read'], { offer: false });
    expect(bodies).toHaveLength(3);
    await fixture.makeDue(id, 'leases');
    await fixture.deliveries.claimDue();
    await until(async () => expect(await shown(account)).toEqual(bodies));
    for (const { _id } of (await get(account, '')).items)
      await fixture.call(account, 'POST', `/v1/webhooks/deliveries/${_id}/replay`);
    await fixture.deliveries.claimDue();
    await until(() => expect(received('claimed').toSorted()).toEqual([...bodies, ...bodies].toSorted()));
  });

  it('keeps the bytes of a failure, although a later report replaces its error', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'failure');
    const one = await message(account);
    const [failed] = await report(account, one, ['failed']);
    const bodies = await report(account, one, ['delivered']);
    await until(async () =>
      expect((await shown(account)).toSorted()).toEqual([failed, ...bodies].toSorted()),
    );
    expect(JSON.parse(failed as string).data.error.code).toBe(131_026);
    expect(await storedBodies(account)).toBe(1);
  });

  it('is not shown, and delays no other, once its message was removed from the database', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'removed');
    const removed = await message(account);
    await report(account, removed, ['sent'], { offer: false });
    const [body] = await report(account, await message(account), ['sent'], { offer: false });
    await sql`delete from messages where id = ${removed.id}`.execute(fixture.db);
    await fixture.makeDue(id, 'leases');
    await fixture.deliveries.claimDue();
    await until(() => expect(received('removed')).toEqual([body]));
    const { items } = await get(account, '');
    expect((await fixture.call(account, 'GET', `/v1/webhooks/deliveries/${items[1]._id}`)).status).toBe(404);
  });
});
