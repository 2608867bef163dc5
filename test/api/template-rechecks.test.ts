// Queued messages of a template whose components change: those that no longer fit fail, the others are sent.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { send } from '../harness/sends.ts';

let gateway: Gateway;
let ids: Record<string, string>;
const names = ['grown', 'reworded', 'held', 'raced', 'fed'];
beforeAll(async () => {
  gateway = await startGateway();
  const components = [{ type: 'BODY', text: 'Hi {{1}}, welcome.' }];
  const seeds = names.map((name) => ({ name, language: 'en_US', category: 'UTILITY', components }));
  ({ templateIds: ids } = await addSender(gateway, seeds));
});
afterAll(() => gateway?.close());

/** Queues a message for a while, and changes the template's text at the platform. */
async function queuedThenChanged(name: string, phone: string, text: string): Promise<string> {
  await gateway.platform.addFault({ on: 'messages', times: 1, code: 131056 });
  const { body } = await send(
    gateway,
    { templateId: ids[name] ?? '', recipients: [{ phone, variables: { '1': 'Ada' } }] },
    { headers: { prefer: 'respond-async' } },
  );
  const id = body.data?.messages[0]?.id ?? '';
  const dueIn = (ms: number, attempts: number) => async () => {
    const { numUpdatedRows } = await gateway.database.db
      .updateTable('messages')
      .set({ due_at: new Date(Date.now() + ms) })
      .where('id', '=', id)
      .where('state', '=', 0)
      .where('attempts', '=', attempts)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  };
  await expect.poll(dueIn(3_600_000, 1), { interval: 20 }).toBe(1);
  const template = (await gateway.platform.state()).templates.find((one) => one.name === name);
  await gateway.platform.changeTemplate(template?.id ?? '', { components: [{ type: 'BODY', text }] });
  const row = () =>
    gateway.database.db
      .selectFrom('templates')
      .select(['recheck_since', 'components_changed_at'])
      .where('id', '=', ids[name] ?? '')
      .executeTakeFirstOrThrow();
  await expect.poll(row).toEqual({ recheck_since: null, components_changed_at: expect.any(Date) });
  await dueIn(0, 1)();
  return id;
}

const messageOf = async (id: string) =>
  (
    await gateway.call<{ status: string; error: { code: number; title: string } }>(
      'GET',
      `/v1/messages/${id}`,
    )
  ).body.data;

it('fails what no longer fits as template_changed, and never sends it', async () => {
  const id = await queuedThenChanged('grown', '15550940001', 'Hi {{1}}, welcome to {{2}}.');
  expect(await messageOf(id)).toMatchObject({
    status: 'failed',
    error: { code: 900_007, title: 'template_changed' },
  });
  expect(await gateway.platform.ledger({ phone: '15550940001' })).toEqual([]);
});

it('checks recipients that are fed after the change: those that no longer fit fail, the others are sent', async () => {
  const { db } = gateway.database;
  const phones = ['15550940005', '15550940006'];
  const values = ['Ada', 'A'.repeat(1_000)];
  const made = await gateway.call<{ sendId: string }>('POST', '/v1/sends', { body: { templateId: ids.fed } });
  const path = `/v1/sends/${made.body.data.sendId}`;
  const recipients = phones.map((phone, index) => ({ phone, variables: { '1': values[index] } }));
  await gateway.call('POST', `${path}/recipients`, { body: { recipients } });
  // nothing is fed while the number is halted
  await db.updateTable('senders').set({ halted_at: new Date() }).execute();
  await gateway.call('POST', `${path}/start`);
  const template = (await gateway.platform.state()).templates.find(({ name }) => name === 'fed');
  const text = 'Dear {{1}}, you are very welcome to what is new in our shop.';
  await gateway.platform.changeTemplate(template?.id ?? '', { components: [{ type: 'BODY', text }] });
  const checked = () =>
    db
      .selectFrom('templates')
      .select(['recheck_since', 'components_changed_at'])
      .where('id', '=', ids.fed ?? '')
      .executeTakeFirstOrThrow();
  await expect.poll(checked).toEqual({ recheck_since: null, components_changed_at: expect.any(Date) });
  await db.updateTable('senders').set({ halted_at: null }).execute();
  const kept = async () => {
    const { items } = (await gateway.call<{ items: { id: string }[] }>('GET', `${path}/recipients`)).body
      .data;
    return Promise.all(items.map(({ id }) => messageOf(id)));
  };
  await expect
    .poll(async () =>
      (await kept()).map(({ status }) => (status === 'failed' ? status : status !== 'queued')),
    )
    .toEqual([true, 'failed']);
  expect((await kept())[1]?.error).toMatchObject({ code: 900_007, title: 'template_changed' });
  const ledger = await Promise.all(phones.map((phone) => gateway.platform.ledger({ phone })));
  expect(ledger.map(({ length }) => length)).toEqual([1, 0]);
});

it('sends what still fits', async () => {
  const id = await queuedThenChanged('reworded', '15550940002', 'Dear {{1}}, you are welcome.');
  await expect.poll(async () => (await gateway.platform.ledger({ phone: '15550940002' })).length).toBe(1);
  // the last rejection is shown until the platform's response is recorded
  await expect.poll(async () => (await messageOf(id)).error).toBeNull();
});

it('calls nothing while the check is not done', async () => {
  const { db } = gateway.database;
  const id = ids.held ?? '';
  // a lock keeps the worker from the check
  await db.transaction().execute(async (tx) => {
    await tx.selectFrom('templates').select('id').where('id', '=', id).forKeyShare().execute();
    await db.updateTable('templates').set({ recheck_since: new Date() }).where('id', '=', id).execute();
    const { body } = await send(gateway, {
      templateId: id,
      recipients: [{ phone: '15550940004', variables: { '1': 'Ada' } }],
    });
    expect(body.data).toMatchObject({ queued: 1, accepted: 0 });
    expect(await gateway.platform.ledger({ phone: '15550940004' })).toEqual([]);
  });
  await expect.poll(async () => (await gateway.platform.ledger({ phone: '15550940004' })).length).toBe(1);
});

it('stores no send that was checked against earlier components', async () => {
  const { db } = gateway.database;
  const resolved = await db
    .selectFrom('templates')
    .selectAll()
    .where('id', '=', ids.raced ?? '')
    .executeTakeFirstOrThrow();
  const lock = db.transaction().execute(async (tx) => {
    await tx.selectFrom('templates').select('id').where('id', '=', resolved.id).forUpdate().execute();
    const sent = send(gateway, {
      templateId: resolved.id,
      recipients: [{ phone: '15550940003', variables: { '1': 'Ada' } }],
    });
    // the send has been checked when its insert waits for this lock
    const waiting = () =>
      sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insertSend%'
        and datname = current_database()`.execute(db);
    await expect.poll(async () => (await waiting()).rows.length, { interval: 20 }).toBe(1);
    await tx
      .updateTable('templates')
      .set({ components_changed_at: new Date(), recheck_since: new Date() })
      .where('id', '=', resolved.id)
      .execute();
    return { sent };
  });
  const { sent } = await lock;
  const { status, body } = await sent;
  expect([status, body.code]).toEqual([409, 'conflict']);
});
