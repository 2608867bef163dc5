// Sends that share a statement: each is decided alone, and one that fails or waits affects no other.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { type CompleteSend, insertSends } from '../../src/messaging/sending/new-sends-store.ts';
import type { SendSteps } from '../../src/messaging/sending/send-steps.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { keyed, message, openSendStore, openSteps, type SendStore } from '../harness/sends-in-database.ts';
import { until } from '../harness/until.ts';

let database: TestDatabase;
let store: SendStore;
let steps: SendSteps;

beforeAll(async () => {
  database = await createTestDatabase();
  store = await openSendStore(database);
  // the process of `openSteps`: the keys of one that is not there are free
  await sql`insert into processes (id) overriding system value values (7)`.execute(database.db);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate messages, sends, idempotency_keys, statistics_changes`.execute(database.db);
  steps = openSteps(database);
});

const storeAll = (sends: CompleteSend[]) => Promise.all(sends.map((one) => steps.store(one)));

async function storedIds(): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select id from sends`.execute(database.db);
  return new Set(rows.map(({ id }) => id));
}

/** The number of transactions that wrote the sends. */
async function statements(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(distinct xmin::text)::int n from sends`.execute(
    database.db,
  );
  return rows[0]?.n ?? 0;
}

describe('concurrent sends', () => {
  it('are stored by few statements, each with its own messages, key, file, state and count', async () => {
    const templateId = await store.addTemplate();
    const held = await store.addTemplate('submitted');
    const halted = await store.addSender({ haltedAt: new Date() });
    const file = await store.addFile();
    const three = ['1', '2', '3'].map((phone) => message({ phone, dispatchMode: 'leased' }));
    const key = uuidv7();
    const sends = [
      ...[
        store.send(templateId),
        store.send(templateId),
        store.send(templateId, { accountId: store.otherAccountId }),
      ],
      ...[store.send(templateId, {}, { messages: three }), store.send(templateId, {}, keyed(key))],
      ...[
        store.send(templateId, {}, { mediaIds: [file] }),
        store.send(held),
        store.send(templateId, { senderId: halted }),
      ],
    ];
    const stored = await storeAll(sends);
    expect(stored.map((one) => one?.isOpen)).toEqual([true, true, true, true, true, true, false, false]);
    expect(stored.map((one) => one?.lease != null)).toEqual([
      ...[true, true, true, true, true, true, false, false],
    ]);
    expect(await statements()).toBe(1);
    const { rows } = await sql<{ send_id: string; phone: string; position: number; state: number }>`
      select send_id, phone, position, state from messages order by send_id, position`.execute(database.db);
    expect(rows.filter(({ send_id }) => send_id === sends[3]?.send.id)).toMatchObject([
      { phone: '1', position: 0, state: 0 },
      { phone: '2', position: 1, state: 0 },
      { phone: '3', position: 2, state: 0 },
    ]);
    expect(rows.filter(({ state }) => state === 1)).toHaveLength(5);
    expect(await steps.findKey({ accountId: store.accountId, operation: 'send', key })).toMatchObject({
      subject_id: sends[4]?.send.id,
      leased: true,
    });
    const counts = await sql<{ account_id: string; n: number }>`
      select account_id, sum(amount)::int n from statistics_changes group by 1 order by 1`.execute(
      database.db,
    );
    expect(counts.rows).toEqual([
      { account_id: store.accountId, n: 9 },
      { account_id: store.otherAccountId, n: 1 },
    ]);
  });

  it('do not store one whose template, sender, file or key is gone or taken, and store the others', async () => {
    const templateId = await store.addTemplate();
    const taken = uuidv7();
    const owner = store.send(templateId, {}, keyed(taken));
    await steps.store(owner);
    const good = [
      store.send(templateId),
      store.send(templateId),
      store.send(templateId, {}, keyed(uuidv7())),
    ];
    const bad = [
      ...[store.send(uuidv7()), store.send(templateId, { senderId: uuidv7() })],
      ...[
        store.send(templateId, { templateChangedAt: new Date() }),
        store.send(templateId, {}, keyed(taken)),
      ],
      store.send(templateId, {}, { mediaIds: [await store.addFile(), 'gone'], ...keyed(uuidv7()) }),
    ];
    const stored = await storeAll([...good, ...bad]);
    expect(stored.map((one) => one !== undefined)).toEqual([
      ...[true, true, true, false, false, false, false, false],
    ]);
    expect(await storedIds()).toEqual(new Set([owner, ...good].map((one) => one.send.id)));
    const { rows } = await sql<{ subject_id: string }>`select subject_id from idempotency_keys`.execute(
      database.db,
    );
    expect(new Set(rows.map((row) => row.subject_id))).toEqual(new Set([owner.send.id, good[2]?.send.id]));
  });

  it('with one key, whatever their bodies, are stored once: the first', async () => {
    const templateId = await store.addTemplate();
    const key = uuidv7();
    const rivals = ['one', 'one', 'two'].map((body) => store.send(templateId, {}, keyed(key, body)));
    const stored = await storeAll([store.send(templateId), ...rivals, store.send(templateId)]);
    expect(stored.map((one) => one !== undefined)).toEqual([true, true, false, false, true]);
    const row = await steps.findKey({ accountId: store.accountId, operation: 'send', key });
    expect(row).toMatchObject({ subject_id: rivals[0]?.send.id, fingerprint: Buffer.from('one') });
    expect((await storedIds()).size).toBe(3);
    // nobody was stored alone
    expect(await statements()).toBe(1);
  });

  it('replace a key that is older than 24 hours', async () => {
    const templateId = await store.addTemplate();
    const old = keyed(uuidv7());
    await steps.store(store.send(templateId, {}, old));
    await sql`update idempotency_keys set created_at = now() - interval '25 hours'`.execute(database.db);
    const next = store.send(templateId, {}, old);
    expect(await steps.store(next)).toBeDefined();
    expect(
      await steps.findKey({ accountId: store.accountId, operation: 'send', key: old.key.key }),
    ).toMatchObject({
      subject_id: next.send.id,
    });
  });

  it('are stored although PostgreSQL rejects one among them', async () => {
    const templateId = await store.addTemplate();
    const poisoned = store.send(templateId, {}, { messages: [message({ name: 'A\0' })], ...keyed(uuidv7()) });
    const others = Array.from({ length: 63 }, () => store.send(templateId, {}, keyed(uuidv7())));
    const all = await Promise.allSettled([poisoned, ...others].map((one) => steps.store(one)));
    expect(all.map(({ status }) => status)).toEqual(['rejected', ...others.map(() => 'fulfilled')]);
    const ids = await storedIds();
    expect(others.every((one) => ids.has(one.send.id))).toBe(true);
    expect(ids.has(poisoned.send.id)).toBe(false);
    expect(
      await steps.findKey({ accountId: store.accountId, operation: 'send', key: poisoned.key?.key ?? '' }),
    ).toBeUndefined();
  });

  it('do not wait for one whose template, sender or file is locked; it is stored when the lock ends', async () => {
    const [templateId, lockedTemplate] = [await store.addTemplate(), await store.addTemplate()];
    const [lockedSender, lockedFile] = [await store.addSender(), await store.addFile()];
    const lock = await database.db.startTransaction().execute();
    await sql`select from templates where id = ${lockedTemplate} for update`.execute(lock);
    await sql`select from senders where id = ${lockedSender} for update`.execute(lock);
    await sql`select from media where id = ${lockedFile} for update`.execute(lock);
    const waiting = [
      ...[store.send(lockedTemplate), store.send(templateId, { senderId: lockedSender })],
      store.send(templateId, {}, { mediaIds: [lockedFile] }),
    ];
    const later = storeAll(waiting);
    const others = [store.send(templateId), store.send(templateId)];
    expect(await storeAll(others)).not.toContain(undefined);
    expect(await storedIds()).toEqual(new Set(others.map((one) => one.send.id)));
    await lock.commit().execute();
    expect(await later).not.toContain(undefined);
  });

  it('keep their files until they are stored', async () => {
    const [templateId, file] = [await store.addTemplate(), await store.addFile()];
    const storing = await database.hot.startTransaction().execute();
    const of = { processId: 7, ifLocked: 'skip' } as const;
    await insertSends(storing, [store.send(templateId, {}, { mediaIds: [file] })], of);
    const remove = sql`select from media where id = ${file} for update nowait`.execute(database.db);
    await expect(remove).rejects.toMatchObject({ code: '55P03' });
    await storing.commit().execute();
  });

  it('all get the error of a lost connection, and none is stored afterwards', async () => {
    const templateId = await store.addTemplate();
    const stop = await database.db.startTransaction().execute();
    await sql`lock table sends in share mode`.execute(stop);
    const all = Promise.allSettled([1, 2, 3].map(() => steps.store(store.send(templateId))));
    await until(async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*) filter (where pg_terminate_backend(pid))::int n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%insertSends%'`.execute(
        database.db,
      );
      expect(rows[0]?.n).toBe(1);
    });
    const reasons = (await all).map((one) => (one.status === 'rejected' ? one.reason.code : one));
    expect(reasons).toEqual(['57P01', '57P01', '57P01']);
    await stop.commit().execute();
    // whoever was repeated would be stored before this one
    const after = store.send(templateId);
    expect(await steps.store(after)).toBeDefined();
    expect(await storedIds()).toEqual(new Set([after.send.id]));
  });
});

describe('a large send', () => {
  it('is stored by a statement of its own, and does not delay small ones', async () => {
    const templateId = await store.addTemplate();
    const messages = Array.from({ length: 11 }, () => message({ dispatchMode: 'queued' }));
    const stored = await storeAll([
      store.send(templateId),
      store.send(templateId),
      store.send(templateId, {}, { messages }),
    ]);
    expect(stored).not.toContain(undefined);
    expect(await statements()).toBe(2);
  });

  it('of few messages with much content shares a statement only with as much as fits', async () => {
    const templateId = await store.addTemplate();
    const big = () => message({ content: { body: [{ text: 'x'.repeat(800_000) }], buttons: [] } });
    const sends = Array.from({ length: 3 }, () => store.send(templateId, {}, { messages: [big()] }));
    expect(await storeAll(sends)).not.toContain(undefined);
    expect(await statements()).toBe(3);
  });
});
