// The slots of messages that are stored as dispatching: taken from the pace of their sender by the statement that stores them.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { revertDispatch } from '../../src/messaging/messages/moves-store.ts';
import { insertReply } from '../../src/messaging/replies/store.ts';
import { insertSends } from '../../src/messaging/sending/new-sends-store.ts';
import type { SendSteps } from '../../src/messaging/sending/send-steps.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { keyed, message, openSendStore, openSteps, type SendStore } from '../harness/sends-in-database.ts';

let database: TestDatabase;
let store: SendStore;
let steps: SendSteps;

beforeAll(async () => {
  database = await createTestDatabase();
  store = await openSendStore(database);
  steps = openSteps(database);
});
afterAll(() => database.drop());

describe('concurrent sends', () => {
  it('get the slots of their sender in the order of arrival; those without one are leased', async () => {
    const templateId = await store.addTemplate();
    // three slots within the next 10 ms
    const slow = await store.addSender({ perSecond: 300 });
    const held = await store.addTemplate('submitted');
    const two = [message(), message()];
    const sends = [
      ...[
        store.send(templateId, { senderId: slow }),
        store.send(templateId),
        store.send(held, { senderId: slow }),
      ],
      store.send(templateId, { senderId: slow }, { messages: [message({ dispatchMode: 'leased' }), ...two] }),
      store.send(templateId, { senderId: slow }),
    ];
    const stored = await Promise.all(sends.map((one) => steps.store(one)));
    expect(stored.map((one) => one && { slots: one.slots, dispatching: [...one.dispatching] })).toEqual([
      { slots: 1, dispatching: [sends[0]?.messages[0]?.id] },
      { slots: 1, dispatching: [sends[1]?.messages[0]?.id] },
      { slots: 0, dispatching: [] },
      { slots: 2, dispatching: two.map(({ id }) => id) },
      { slots: 0, dispatching: [] },
    ]);
    expect(stored[3]?.firstInMs).toBeCloseTo(1000 / 300, 1);
    const { rows } = await sql<{ id: string; state: number; attempts: number; leased: boolean }>`
      select id, state, attempts, due_at > now() and leased_by in (7, ~7) as leased from messages`.execute(
      database.db,
    );
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    expect(rowOf.get(two[0]?.id ?? '')).toMatchObject({ state: 1, attempts: 1, leased: true });
    expect(rowOf.get(two[1]?.id ?? '')).toMatchObject({ state: 1, attempts: 1, leased: true });
    for (const without of [sends[3], sends[4]])
      expect(rowOf.get(without?.messages[0]?.id ?? '')).toMatchObject({ state: 0, leased: true });
    const pace = await sql<{ ahead: number }>`
      select extract(epoch from tat - now())::float8 as ahead from sender_paces where sender_id = ${slow}`.execute(
      database.db,
    );
    // three slots were taken, and no more
    expect(pace.rows[0]?.ahead).toBeLessThanOrEqual(3 / 300);
  });

  it('get the slots of those before them that are not stored', async () => {
    const templateId = await store.addTemplate();
    const senderId = await store.addSender({ perSecond: 1 });
    const again = keyed(randomUUID());
    await steps.store(store.send(templateId, {}, again));
    const readAs = { template: '0', sender: null, namesSender: false };
    const sends = [
      store.send(templateId, { senderId, readAs }),
      store.send(templateId, { senderId }, again),
      store.send(templateId, { senderId }),
      store.send(templateId, { senderId }),
    ];
    const inserted = await insertSends(database.hot, sends, { processId: 7, ifLocked: 'skip' });
    expect(inserted.map((one) => one && [one.slots, one.dispatching.size])).toEqual([
      ...[undefined, undefined],
      ...[
        [1, 1],
        [0, 0],
      ],
    ]);
    const { rows } = await sql<{ state: number }>`
      select state from messages where sender_id = ${senderId} order by state desc`.execute(database.db);
    expect(rows.map(({ state }) => state)).toEqual([1, 0]);
  });

  it('leave the slots of a sender alone that none of them may call', async () => {
    const halted = await store.addSender({ haltedAt: new Date() });
    const templateId = await store.addTemplate();
    const before = await sql`select tat from sender_paces where sender_id = ${halted}`.execute(database.db);
    const large = Array.from({ length: 11 }, () => message({ dispatchMode: 'queued' }));
    expect(await steps.store(store.send(templateId, { senderId: halted }))).toMatchObject({ slots: 0 });
    expect(await steps.store(store.send(templateId, {}, { messages: large }))).toMatchObject({ slots: 0 });
    const after = await sql`select tat from sender_paces where sender_id = ${halted}`.execute(database.db);
    expect(after.rows).toEqual(before.rows);
  });
});

describe('a reply', () => {
  it('is stored as dispatching only if its number has a slot, else leased; a revert ends that dispatch', async () => {
    const { accountId } = store;
    const senderId = await store.addSender();
    const [contactId, phone] = [uuidv7(), '15550199'];
    await sql`insert into contacts (id, account_id) values (${contactId}, ${accountId})`.execute(database.db);
    await sql`
      insert into contact_identities (account_id, identity, contact_id) values (${accountId}, ${phone}, ${contactId})`.execute(
      database.db,
    );
    await sql`
      insert into contact_windows (account_id, contact_id, sender_id, last_received_at)
      values (${accountId}, ${contactId}, ${senderId}, now())`.execute(database.db);
    const reply = async (secondsAhead: number) => {
      await sql`update sender_paces set tat = now() + ${secondsAhead} * interval '1 second' where sender_id = ${senderId}`.execute(
        database.db,
      );
      const id = uuidv7();
      const stored = await insertReply(database.hot, {
        ...{ accountId, id, senderId, identity: phone, phone, userId: null },
        ...{ content: { reply: { kind: 'text', text: 'x' } }, mediaId: null, metadata: null },
        ...{ priority: 1, processId: 0, dispatchMode: 'dispatching' },
      });
      const { rows } = await sql<{ state: number; leased: boolean }>`
        select state, due_at > now() as leased from messages where id = ${id}`.execute(database.db);
      await revertDispatch(database.hot, [{ accountId, id, lease: null }]);
      const reverted = await sql<{ state: number; leased: boolean }>`
        select state, due_at > now() as leased from messages where id = ${id}`.execute(database.db);
      return { isDispatching: stored?.isDispatching, ...rows[0], reverted: reverted.rows[0] };
    };
    const [due, leased] = [
      { state: 0, leased: false },
      { state: 0, leased: true },
    ];
    expect(await reply(0)).toEqual({ isDispatching: true, state: 1, leased: true, reverted: due });
    expect(await reply(1)).toEqual({ isDispatching: false, ...leased, reverted: leased });
  });
});
