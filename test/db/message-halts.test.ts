// Messages of halted senders, which wait: all of them, or templates alone.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimDue, findCompletions } from '../../src/messaging/dispatch/claims-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { accountId, beginNow, sender as insertSender, queueSend } from '../harness/dispatch.ts';
import { insertTemplate } from '../harness/rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => sql`truncate messages`.execute(database.db));

const claim = (perSender = 200) => claimDue(database.hot, perSender, [], 0);
const template = () => insertTemplate(database.db, accountId);
const sender = () => insertSender(database);

/** Makes a reply of a queued message. */
const becomesReply = ({ id }: { id: string }) =>
  sql`update messages set kind = 1, send_id = null, template_id = null where id = ${id}`.execute(database.db);

describe('messages of a halted sender', () => {
  it('are not claimed, do not begin their dispatch and are not stored as dispatching, even if leased before', async () => {
    const [senderId, otherId] = [await sender(), await sender()];
    const templateId = await template();
    const before = await queueSend(database, 1, { senderId, templateId }, 'leased');
    const reply = await queueSend(database, 1, { senderId, templateId });
    for (const key of reply.keys) await becomesReply(key);
    const others = await queueSend(database, 1, { senderId: otherId, templateId });
    await sql`update senders set halted_at = now() where id = ${senderId}`.execute(database.db);
    const after = await queueSend(database, 1, { senderId, templateId }, 'dispatching');
    expect(after.written).toMatchObject({ isOpen: false, lease: null, optedOut: [], dispatching: new Set() });
    const keys = [...before.keys, ...reply.keys, ...after.keys];
    expect(await beginNow(database, keys)).toEqual([false, false, false]);
    expect((await claim()).claimed.map(({ id }) => id)).toEqual(others.keys.map(({ id }) => id));
    const ids = [...keys, ...others.keys].map(({ id }) => id);
    expect((await findCompletions(database.hot, accountId, ids, 20)).map(({ id }) => id).sort()).toEqual(
      keys.map(({ id }) => id).sort(),
    );
  });
});

describe('messages of a sender whose templates are halted', () => {
  it('wait, and replies do not', async () => {
    const senderId = await sender();
    const origin = { senderId, templateId: await template() };
    const before = await queueSend(database, 1, origin, 'leased');
    await queueSend(database, 2, { ...origin, priority: 0 });
    const { keys } = await queueSend(database, 2, origin);
    await queueSend(database, 1, { ...origin, priority: 2 });
    const reply = keys[1] as { accountId: string; id: string };
    await becomesReply(reply);
    await sql`update senders set halted_at = now(), halt_spares_replies = true where id = ${senderId}`.execute(
      database.db,
    );
    const after = await queueSend(database, 1, origin, 'dispatching');
    expect(after.written).toMatchObject({ isOpen: false, dispatching: new Set() });
    const { claimed } = await claim(1);
    expect(claimed.map(({ id }) => id)).toEqual([reply.id]);
    expect((await claim()).claimed).toEqual([]);
    expect(await beginNow(database, [...before.keys, reply])).toEqual([false, true]);
    const waiting = before.keys[0]?.id ?? '';
    const ended = await findCompletions(database.hot, accountId, [waiting, reply.id], 20);
    expect(ended.map(({ id }) => id)).toEqual([waiting]);
  });

  it('of a busy sender wait with all but one-time codes', async () => {
    const origin = { senderId: await sender(), templateId: await template() };
    await queueSend(database, 1, origin);
    const codes = await queueSend(database, 1, { ...origin, priority: 0 });
    const { claimed } = await claimDue(database.hot, 10, [origin.senderId], 0);
    expect(claimed.map(({ id }) => id)).toEqual(codes.keys.map(({ id }) => id));
  });
});
