// Sends that share a statement: each is decided alone, and one that fails or waits affects no other.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { openMetrics } from '../../src/base/metrics.ts';
import {
  type CompleteSend,
  insertSends,
  type NewMessage,
} from '../../src/messaging/sending/new-sends-store.ts';
import { openSendSteps, type SendSteps } from '../../src/messaging/sending/send-steps.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';

const accounts = [uuidv7(), uuidv7()] as const;
const [accountId] = accounts;
const senders = new Map<string, string>();
let database: TestDatabase;
let steps: SendSteps;

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of accounts) {
    await sql`insert into accounts (id, name) values (${id}, 'sends')`.execute(database.db);
    senders.set(id, await addSender(id));
  }
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate messages, sends, idempotency_keys, statistics_changes`.execute(database.db);
  steps = openSendSteps({ hot: database.hot, processId: 7, metrics: openMetrics() });
});

/** `perSecond`: its pace. */
async function addSender(of: string, haltedAt: Date | null = null, perSecond = 1_000): Promise<string> {
  const id = uuidv7();
  await sql`insert into senders (id, account_id, name, phone_number_id, business_account_id, access_token, app_secret,
    verify_token, app_secret_hash, halted_at) values (${id}, ${of}, 's', ${id}, '2', '', '', '', '', ${haltedAt})`.execute(
    database.db,
  );
  await sql`insert into sender_paces (sender_id, per_second, tat) values (${id}, ${perSecond}, now() - interval '1 second')`.execute(
    database.db,
  );
  return id;
}

async function addTemplate(status = 'approved'): Promise<string> {
  const id = uuidv7();
  await sql`insert into templates (id, account_id, business_account_id, name, language, category, status, components)
    values (${id}, ${accountId}, '2', ${id}, 'en', 'UTILITY', ${status}, '[]')`.execute(database.db);
  return id;
}

async function addFile(): Promise<string> {
  const id = uuidv7();
  await sql`insert into media (id, account_id, state, kind, mime_type, file_name, object_key, file_key, size, sha256, public_id)
    values (${id}, ${accountId}, 'ready', 'document', 'application/pdf', 'f', ${id}, '', 1, '\\x00', ${id})`.execute(
    database.db,
  );
  return id;
}

const message = (over: Partial<NewMessage> = {}): NewMessage => ({
  id: uuidv7(),
  phone: '15550100',
  name: null,
  content: { body: [], buttons: [] },
  mediaId: null,
  metadata: null,
  dispatchMode: 'dispatching',
  ...over,
});

/** A send of the account that can be stored, unless `over` prevents it. */
function send(
  templateId: string,
  over: Partial<CompleteSend['send']> = {},
  more: Partial<CompleteSend> = {},
): CompleteSend {
  const of = over.accountId ?? accountId;
  const { messages = [message()] } = more;
  const named = { templateName: 't', language: 'en', total: messages.length };
  const ids = { accountId: of, id: uuidv7(), senderId: senders.get(of) as string, templateId };
  return { send: { ...ids, ...named, ...over }, priority: 1, expiresInSeconds: 600, ...more, messages };
}

const keyed = (key: string, fingerprint = 'body') => ({
  key: { key, operation: 'send', fingerprint: Buffer.from(fingerprint), leaseSeconds: 60 },
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
    const templateId = await addTemplate();
    const held = await addTemplate('submitted');
    const halted = await addSender(accountId, new Date());
    const file = await addFile();
    const three = ['1', '2', '3'].map((phone) => message({ phone, dispatchMode: 'leased' }));
    const key = uuidv7();
    const sends = [
      ...[send(templateId), send(templateId), send(templateId, { accountId: accounts[1] })],
      ...[send(templateId, {}, { messages: three }), send(templateId, {}, keyed(key))],
      ...[send(templateId, {}, { mediaIds: [file] }), send(held), send(templateId, { senderId: halted })],
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
    expect(await steps.findKey({ accountId, operation: 'send', key })).toMatchObject({
      subject_id: sends[4]?.send.id,
      leased: true,
    });
    const counts = await sql<{ account_id: string; n: number }>`
      select account_id, sum(amount)::int n from statistics_changes group by 1 order by 1`.execute(
      database.db,
    );
    expect(counts.rows).toEqual([
      { account_id: accounts[0], n: 9 },
      { account_id: accounts[1], n: 1 },
    ]);
  });

  it('get the slots of their sender in the order of arrival; those without one are leased', async () => {
    const templateId = await addTemplate();
    // three slots within the next 10 ms
    const slow = await addSender(accountId, null, 300);
    const held = await addTemplate('submitted');
    const two = [message(), message()];
    const sends = [
      ...[send(templateId, { senderId: slow }), send(templateId), send(held, { senderId: slow })],
      send(templateId, { senderId: slow }, { messages: [message({ dispatchMode: 'leased' }), ...two] }),
      send(templateId, { senderId: slow }),
    ];
    const stored = await storeAll(sends);
    expect(stored.map((one) => one && { slots: one.slots, dispatching: [...one.dispatching] })).toEqual([
      { slots: 1, dispatching: [sends[0]?.messages[0]?.id] },
      { slots: 1, dispatching: [sends[1]?.messages[0]?.id] },
      { slots: 1, dispatching: [] },
      { slots: 1, dispatching: [two[0]?.id] },
      { slots: 0, dispatching: [] },
    ]);
    expect(stored[3]?.firstInMs).toBeCloseTo((2 * 1000) / 300, 1);
    const { rows } = await sql<{ id: string; state: number; attempts: number; leased: boolean }>`
      select id, state, attempts, due_at > now() and leased_by = 7 as leased from messages`.execute(
      database.db,
    );
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    expect(rowOf.get(two[0]?.id ?? '')).toMatchObject({ state: 1, attempts: 1, leased: true });
    expect(rowOf.get(two[1]?.id ?? '')).toMatchObject({ state: 0, attempts: 0, leased: true });
    expect(rowOf.get(sends[4]?.messages[0]?.id ?? '')).toMatchObject({ state: 0, leased: true });
    const pace = await sql<{ ahead: number }>`
      select extract(epoch from tat - now())::float8 as ahead from sender_paces where sender_id = ${slow}`.execute(
      database.db,
    );
    // three slots were taken, and no more
    expect(pace.rows[0]?.ahead).toBeLessThanOrEqual(3 / 300);
  });

  it('leave the slots of a sender alone that none of them may call', async () => {
    const halted = await addSender(accountId, new Date());
    const templateId = await addTemplate();
    const before = await sql`select tat from sender_paces where sender_id = ${halted}`.execute(database.db);
    const large = Array.from({ length: 11 }, () => message({ dispatchMode: 'queued' }));
    expect(await steps.store(send(templateId, { senderId: halted }))).toMatchObject({ slots: 0 });
    expect(await steps.store(send(templateId, {}, { messages: large }))).toMatchObject({ slots: 0 });
    const after = await sql`select tat from sender_paces where sender_id = ${halted}`.execute(database.db);
    expect(after.rows).toEqual(before.rows);
  });

  it('do not store one whose template, sender, file or key is gone or taken, and store the others', async () => {
    const templateId = await addTemplate();
    const taken = uuidv7();
    const owner = send(templateId, {}, keyed(taken));
    await steps.store(owner);
    const good = [send(templateId), send(templateId), send(templateId, {}, keyed(uuidv7()))];
    const bad = [
      ...[send(uuidv7()), send(templateId, { senderId: uuidv7() })],
      ...[send(templateId, { templateChangedAt: new Date() }), send(templateId, {}, keyed(taken))],
      send(templateId, {}, { mediaIds: [await addFile(), 'gone'], ...keyed(uuidv7()) }),
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
    const templateId = await addTemplate();
    const key = uuidv7();
    const rivals = ['one', 'one', 'two'].map((body) => send(templateId, {}, keyed(key, body)));
    const stored = await storeAll([send(templateId), ...rivals, send(templateId)]);
    expect(stored.map((one) => one !== undefined)).toEqual([true, true, false, false, true]);
    const row = await steps.findKey({ accountId, operation: 'send', key });
    expect(row).toMatchObject({ subject_id: rivals[0]?.send.id, fingerprint: Buffer.from('one') });
    expect((await storedIds()).size).toBe(3);
    // nobody was stored alone
    expect(await statements()).toBe(1);
  });

  it('replace a key that is older than 24 hours', async () => {
    const templateId = await addTemplate();
    const old = keyed(uuidv7());
    await steps.store(send(templateId, {}, old));
    await sql`update idempotency_keys set created_at = now() - interval '25 hours'`.execute(database.db);
    const next = send(templateId, {}, old);
    expect(await steps.store(next)).toBeDefined();
    expect(await steps.findKey({ accountId, operation: 'send', key: old.key.key })).toMatchObject({
      subject_id: next.send.id,
    });
  });

  it('are stored although PostgreSQL rejects one among them', async () => {
    const templateId = await addTemplate();
    const poisoned = send(templateId, {}, { messages: [message({ name: 'A\0' })], ...keyed(uuidv7()) });
    const others = Array.from({ length: 63 }, () => send(templateId, {}, keyed(uuidv7())));
    const all = await Promise.allSettled([poisoned, ...others].map((one) => steps.store(one)));
    expect(all.map(({ status }) => status)).toEqual(['rejected', ...others.map(() => 'fulfilled')]);
    const ids = await storedIds();
    expect(others.every((one) => ids.has(one.send.id))).toBe(true);
    expect(ids.has(poisoned.send.id)).toBe(false);
    expect(
      await steps.findKey({ accountId, operation: 'send', key: poisoned.key?.key ?? '' }),
    ).toBeUndefined();
  });

  it('do not wait for one whose template, sender or file is locked; it is stored when the lock ends', async () => {
    const [templateId, lockedTemplate] = [await addTemplate(), await addTemplate()];
    const [lockedSender, lockedFile] = [await addSender(accountId), await addFile()];
    const lock = await database.db.startTransaction().execute();
    await sql`select from templates where id = ${lockedTemplate} for update`.execute(lock);
    await sql`select from senders where id = ${lockedSender} for update`.execute(lock);
    await sql`select from media where id = ${lockedFile} for update`.execute(lock);
    const waiting = [
      ...[send(lockedTemplate), send(templateId, { senderId: lockedSender })],
      send(templateId, {}, { mediaIds: [lockedFile] }),
    ];
    const later = storeAll(waiting);
    const others = [send(templateId), send(templateId)];
    expect(await storeAll(others)).not.toContain(undefined);
    expect(await storedIds()).toEqual(new Set(others.map((one) => one.send.id)));
    await lock.commit().execute();
    expect(await later).not.toContain(undefined);
  });

  it('keep their files until they are stored', async () => {
    const [templateId, file] = [await addTemplate(), await addFile()];
    const storing = await database.hot.startTransaction().execute();
    const of = { processId: 7, ifLocked: 'skip' } as const;
    await insertSends(storing, [send(templateId, {}, { mediaIds: [file] })], of);
    const remove = sql`select from media where id = ${file} for update nowait`.execute(database.db);
    await expect(remove).rejects.toMatchObject({ code: '55P03' });
    await storing.commit().execute();
  });

  it('all get the error of a lost connection, and none is stored afterwards', async () => {
    const templateId = await addTemplate();
    const stop = await database.db.startTransaction().execute();
    await sql`lock table sends in share mode`.execute(stop);
    const all = Promise.allSettled([1, 2, 3].map(() => steps.store(send(templateId))));
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
    const after = send(templateId);
    expect(await steps.store(after)).toBeDefined();
    expect(await storedIds()).toEqual(new Set([after.send.id]));
  });
});

describe('a large send', () => {
  it('is stored by a statement of its own, and does not delay small ones', async () => {
    const templateId = await addTemplate();
    const messages = Array.from({ length: 11 }, () => message({ dispatchMode: 'queued' }));
    const stored = await storeAll([send(templateId), send(templateId), send(templateId, {}, { messages })]);
    expect(stored).not.toContain(undefined);
    expect(await statements()).toBe(2);
  });

  it('of few messages with much content shares a statement only with as much as fits', async () => {
    const templateId = await addTemplate();
    const big = () => message({ content: { body: [{ text: 'x'.repeat(800_000) }], buttons: [] } });
    const sends = Array.from({ length: 3 }, () => send(templateId, {}, { messages: [big()] }));
    expect(await storeAll(sends)).not.toContain(undefined);
    expect(await statements()).toBe(3);
  });
});
