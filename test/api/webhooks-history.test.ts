// The list of deliveries and replays: filters, paging, unchanged bytes, and crashes during a replay.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { deliveriesOf, publish } from '../../src/webhooks/publish.ts';
import { insertReplay, replayStep } from '../../src/webhooks/replay/store.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
beforeAll(async () => {
  fixture = await openWebhooksFixture();
});
afterAll(() => fixture.close());

const hitsOf = (hook: string) => fixture.hooks.hitsOf(hook);
const list = async (accountId: string, query = '') =>
  (await fixture.call(accountId, 'GET', `/v1/webhooks/deliveries${query}`)).body.data;

async function delivered(accountId: string, count: number): Promise<void> {
  await until(async () =>
    expect((await list(accountId, '?status=delivered&limit=100')).items).toHaveLength(count),
  );
}

describe('the list of deliveries', () => {
  it('is paged by cursor, newest first, without gaps or duplicates', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'listed');
    for (let count = 0; count < 7; count++) await fixture.stages(account, uuidv7(), ['sent']);
    await delivered(account, 7);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await list(account, `?limit=3${cursor}`);
      seen.push(...page.items.map((item: { _id: string }) => item._id));
      cursor = page.pagination.nextCursor ? `&cursor=${page.pagination.nextCursor}` : '';
    } while (cursor);
    expect(seen).toHaveLength(7);
    expect(seen).toEqual([...new Set(seen)].toSorted().toReversed());
  });

  it('is filtered by endpoint, message, status and time', async () => {
    const account = await fixture.account();
    const { id: first } = await fixture.endpoint(account, 'filter-1');
    await fixture.endpoint(account, 'filter-2');
    const message = uuidv7();
    await sql`
      insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, expires_at, wamid)
      values (${account}, ${message}, ${uuidv7()}, ${uuidv7()}, ${uuidv7()}, '919876543210', '{}', now(),
        ${`wamid.${message}`})`.execute(fixture.db);
    await fixture.stages(account, message, ['sent', 'delivered']);
    await fixture.stages(account, uuidv7(), ['sent']);
    await delivered(account, 6);
    const stages = (await list(account, `?messageId=wamid.${message}&endpointId=${first}`)).items;
    expect(stages.map((one: { stage: string }) => one.stage)).toEqual(['delivered', 'sent']);
    const count = async (query: string) => (await list(account, query)).items.length;
    expect(await count(`?endpointId=${first}`)).toBe(3);
    expect(await count(`?messageId=wamid.${message}`)).toBe(4);
    expect(await count(`?messageId=wamid.${message}&endpointId=${first}`)).toBe(2);
    expect(await count('?event=messages.status')).toBe(6);
    expect(await count('?event=test')).toBe(0);
    expect(await count('?status=dead')).toBe(0);
    const [from, to] = [Date.now() - 60_000, Date.now() + 60_000].map((at) => new Date(at).toISOString());
    expect(await count(`?from=${from}&to=${to}`)).toBe(6);
    expect(await count(`?from=${to}`)).toBe(0);
    expect(await count(`?to=${from}`)).toBe(0);
    const other = await fixture.account();
    expect((await list(other)).items).toEqual([]);
    expect((await list(other, `?messageId=wamid.${message}`)).items).toEqual([]);
  });

  it('finds the deliveries of a received message by its identifier, which no index does', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'filter-3', { events: ['messages.received'] });
    for (const messageId of ['wamid.in1', 'wamid.in2', 'wamid.in1']) {
      const event = {
        accountId: account,
        subjectId: uuidv7(),
        stage: 0,
        kind: 'messages.received',
        messageId,
      };
      const published = await fixture.hot
        .transaction()
        .execute((tx) => publish(fixture, tx, [{ ...event, body: '{}' }]));
      fixture.deliveries.offer(published);
    }
    await delivered(account, 3);
    const found = async (query: string) =>
      (await list(account, query)).items.map((one: { messageId: string }) => one.messageId);
    expect(await found('?messageId=wamid.in1')).toEqual(['wamid.in1', 'wamid.in1']);
    expect(await found(`?messageId=wamid.in2&endpointId=${id}`)).toEqual(['wamid.in2']);
    expect(await found('?messageId=wamid.in1&status=dead')).toEqual([]);
    expect(await found('?messageId=wamid.in3')).toEqual([]);
  });

  it.each(['?statu=dead', '?status=lost', '?limit=0', '?limit=101', '?cursor=nonsense', '?from=yesterday'])(
    'returns 400 for %s',
    async (query) => {
      const response = await fixture.call(await fixture.account(), 'GET', `/v1/webhooks/deliveries${query}`);
      expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
    },
  );

  it('does not show another account’s deliveries', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'private');
    await fixture.stages(account, uuidv7(), ['sent']);
    await delivered(account, 1);
    const [item] = (await list(account)).items;
    const otherAccount = await fixture.account();
    for (const id of [item._id, uuidv7(), 'no-id']) {
      for (const response of [
        await fixture.call(otherAccount, 'GET', `/v1/webhooks/deliveries/${id}`),
        await fixture.call(otherAccount, 'POST', `/v1/webhooks/deliveries/${id}/replay`),
      ]) {
        expect([response.status, response.body.code]).toEqual([404, 'delivery_not_found']);
      }
    }
  });

  it('returns the deliveries of one message to other modules', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'of-message');
    const message = uuidv7();
    await fixture.stages(account, message, ['sent', 'delivered']);
    await delivered(account, 2);
    const items = await deliveriesOf(fixture.db, account, message);
    expect(items).toMatchObject([
      { messageId: `wamid.${message}`, status: 'delivered' },
      { messageId: `wamid.${message}`, status: 'delivered' },
    ]);
    expect(await deliveriesOf(fixture.db, await fixture.account(), message)).toEqual([]);
  });
});

describe('a replay', () => {
  it('of one delivery sends the same bytes under the same webhook-id, and keeps the first success in its log', async () => {
    const account = await fixture.account();
    await fixture.endpoint(account, 'replayed');
    await fixture.stages(account, uuidv7(), ['sent']);
    await delivered(account, 1);
    const [item] = (await list(account)).items;
    const replay = await fixture.call(account, 'POST', `/v1/webhooks/deliveries/${item._id}/replay`);
    expect(replay.body.data).toMatchObject({ _id: item._id, status: 'pending', deliveredAt: null });
    await fixture.deliveries.claimDue();
    await until(() => expect(hitsOf('replayed')).toHaveLength(2));
    const [first, second] = hitsOf('replayed');
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    await delivered(account, 1);
    const { body } = await fixture.call(account, 'GET', `/v1/webhooks/deliveries/${item._id}`);
    expect(body.data.attemptLog).toMatchObject([
      { number: 1, statusCode: 200 },
      { number: 2, statusCode: 200 },
    ]);
  });

  it('restarts the retry schedule', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'restarted-schedule');
    fixture.hooks.answer('restarted-schedule', () => ({ status: 500 }));
    await fixture.stages(account, uuidv7(), ['sent']);
    await until(async () => expect((await list(account)).items[0].attempts).toBe(1));
    await sql`update deliveries set state = 2, due_at = null, attempts = 10 where endpoint_id = ${id}`.execute(
      fixture.db,
    );
    const [item] = (await list(account)).items;
    await fixture.call(account, 'POST', `/v1/webhooks/deliveries/${item._id}/replay`);
    await fixture.deliveries.claimDue();
    await until(async () =>
      expect((await list(account)).items[0]).toMatchObject({ attempts: 11, status: 'pending' }),
    );
    const [again] = (await list(account)).items;
    expect(new Date(again.nextAttemptAt).getTime() - Date.now()).toBeLessThan(6_000);
  });

  it('of a time range continues after a crash without gaps or duplicates', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'stretch');
    const { id: bystander } = await fixture.endpoint(account, 'bystander');
    for (let count = 0; count < 9; count++) await fixture.stages(account, uuidv7(), ['sent']);
    await delivered(account, 18);
    const replayId = uuidv7();
    await fixture.db.transaction().execute(async (tx) => {
      await insertReplay(tx, {
        id: replayId,
        accountId: account,
        endpointId: id,
        from: new Date(Date.now() - 60_000),
        to: new Date(Date.now() + 60_000),
        states: [1],
      });
      expect(await replayStep(tx, replayId, 4)).toBe(4);
    });
    // the deliveries of the first step are delivered again before the next step, which must not replay them a second time
    await fixture.deliveries.claimDue();
    await until(() => expect(hitsOf('stretch')).toHaveLength(13));
    await delivered(account, 18);
    await fixture.runMaintenance();
    await fixture.deliveries.claimDue();
    await until(() => expect(hitsOf('stretch')).toHaveLength(18));
    const ids = hitsOf('stretch').map((hit) => hit.headers['webhook-id']);
    for (const one of new Set(ids)) expect(ids.filter((other) => other === one)).toHaveLength(2);
    expect(hitsOf('bystander')).toHaveLength(9);
    expect(bystander).not.toBe(id);
    const { rows } = await sql<{ replayed: number; done: boolean }>`
      select replayed, finished_at is not null as done from replays where id = ${replayId}`.execute(
      fixture.db,
    );
    expect(rows).toEqual([{ replayed: 9, done: true }]);
  });

  it('of an empty or reversed time range is rejected', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, 'empty');
    const path = `/v1/webhooks/endpoints/${id}/replay`;
    const none = await fixture.call(account, 'POST', path, {
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
    });
    expect(none.body.data).toMatchObject({ replayed: 0, finished: true, status: null });
    const reversed = await fixture.call(account, 'POST', path, {
      from: '2026-01-02T00:00:00Z',
      to: '2026-01-01T00:00:00Z',
    });
    expect([reversed.status, reversed.body.errors?.[0]?.path]).toEqual([400, 'to']);
  });
});
