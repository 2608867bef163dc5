// Lists of accounts with very many messages: bounded pages without indexes that would slow down state changes.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { lowestUuidAt } from '../../src/base/uuid-time.ts';
import type { Db, Tx } from '../../src/db/db.ts';
import { countFailures } from '../../src/messaging/messages/failure-counts-store.ts';
import { foldReports, state } from '../../src/messaging/messages/message.ts';
import { applyMoves } from '../../src/messaging/messages/moves-store.ts';
import { findSendNames } from '../../src/messaging/messages/sends-store.ts';
import { listMessages, type MessageFilter } from '../../src/messaging/messages/store.ts';
import { earlierVersions, readVersions } from '../../src/messaging/templates/versions-store.ts';
import type { StatusReport } from '../../src/ports/platform.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';
import { insertAccount } from '../harness/rows.ts';

const accountId = uuidv7();
const [templateId, rareTemplate] = [uuidv7(), uuidv7()];
const count = 30_000;
let database: TestDatabase;

/** Among the oldest thousand messages is one of each rare kind; all others were read. */
beforeAll(async () => {
  database = await createTestDatabase();
  await sql`
    insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, failed_at, error, name, metadata, expires_at)
    select ${accountId}, uuid7(), gen_random_uuid(), gen_random_uuid(),
      case when n % 250 = 7 and n < 1000 then ${rareTemplate}::uuid else ${templateId}::uuid end,
      (15550000000 + n)::text, '{}',
      case when n % 250 = 1 and n < 1000 then 6 when n % 250 = 2 and n < 1000 then 3 when n = 3 then 0 else 5 end,
      case when n % 250 = 1 and n < 1000 then now() end, case when n % 250 = 1 and n < 1000 then jsonb_build_object('code', n % 500, 'title', 't') end,
      case when n % 250 = 2 and n < 1000 then 'Alice' end, case when n = 3 then '{"n": "3", "a=b": "c=d", "=x": "y"}'::jsonb end, now()
    from generate_series(1, ${count}::int) n`.execute(database.db);
  await sql`vacuum analyze messages`.execute(database.db);
});
afterAll(() => database.drop());

/** Reads all pages with this scan limit. */
async function pagesOf(filter: MessageFilter, lookedThrough: number) {
  const pages: number[] = [];
  const ids: string[] = [];
  let beforeId: string | undefined;
  do {
    const { rows, scannedTo } = await listMessages(
      database.db,
      accountId,
      { ...filter, beforeId },
      3,
      lookedThrough,
    );
    pages.push(rows.length);
    ids.push(...rows.map(({ id }) => id));
    beforeId = rows.length === 3 ? rows.at(-1)?.id : scannedTo;
  } while (beforeId);
  return { pages, ids };
}

/** Reads all pages of 1,000. */
async function everyId(filter: MessageFilter, lookedThrough: number): Promise<string[]> {
  const { rows, scannedTo } = await listMessages(database.db, accountId, filter, 1_000, lookedThrough);
  const ids = rows.map(({ id }) => id);
  const beforeId = rows.length === 1_000 ? ids.at(-1) : scannedTo;
  return beforeId === undefined ? ids : [...ids, ...(await everyId({ ...filter, beforeId }, lookedThrough))];
}

describe('a filter that few of many messages match', () => {
  it.each<[string, MessageFilter, number]>([
    ['failed', { state: state.failed }, 4],
    ['sent, not delivered', { state: state.sent }, 4],
    ['queued', { state: state.queued }, 1],
    ['of a rare template', { templateId: rareTemplate }, 4],
    ['of a rare template, and read', { templateId: rareTemplate, state: state.read }, 4],
    ['of a rare template, and failed', { templateId: rareTemplate, state: state.failed }, 0],
    ['with an entry of metadata', { metadata: { key: 'n', value: '3' } }, 1],
    ['with a = in key and value', { metadata: { key: 'a', value: 'b=c=d' } }, 1],
    ['with a = at the start of the key', { metadata: { key: '', value: 'x=y' } }, 1],
    ['with a part of an entry', { metadata: { key: 'a', value: 'b=c' } }, 0],
    ['with a name', { name: 'LICE' }, 4],
    ['of a sender', { senderId: uuidv7() }, 0],
  ])('%s: finds all, newest first, with any scan limit', async (_what, filter, expected) => {
    for (const lookedThrough of [700, 7_000, 100_000]) {
      const { ids } = await pagesOf(filter, lookedThrough);
      expect(ids).toHaveLength(expected);
      expect(ids).toEqual(ids.toSorted().reverse());
    }
  });

  it('failures are counted by reason, of the newest ones if there are too many', async () => {
    const range = {
      fromId: lowestUuidAt(new Date(0)),
      toId: lowestUuidAt(new Date(Date.now() + 1_000)),
      senderId: undefined,
    };
    const all = await countFailures(database.db, accountId, range);
    expect(all).toMatchObject({
      rows: [
        { code: 1, failed: 2 },
        { code: 251, failed: 2 },
      ],
      scannedTo: undefined,
    });
    const newest = await countFailures(database.db, accountId, range, 3);
    expect(newest.rows.map(({ failed }) => failed)).toEqual([2, 1]);
    expect(newest.scannedTo).toBeDefined();
    const none = await countFailures(database.db, accountId, { ...range, senderId: uuidv7() }, 3);
    expect(none).toEqual({ rows: [], scannedTo: newest.scannedTo });
    const planWith = (filter: object) =>
      planOf(database.db, (db) => countFailures(db, accountId, { ...range, ...filter }));
    expect(await planWith({})).toMatch(/failed|account_id_id_idx/);
    const { rows: failed } = await sql<{ id: string; send_id: string }>`
      select id, send_id from messages where failed_at is not null order by id limit 2`.execute(database.db);
    const [first, second] = failed.map(({ id, send_id }) => ({ id: send_id, last_recipient_id: id }));
    // the scan ends at the send's last recipient: newer failures of others do not use up its limit
    const ofFirst = await countFailures(database.db, accountId, { ...range, send: first }, 2);
    expect(ofFirst).toMatchObject({ rows: [{ failed: 1 }], scannedTo: undefined });
    expect((await countFailures(database.db, accountId, { ...range, send: second }, 3)).rows).toMatchObject([
      { failed: 1 },
    ]);
    expect(await planWith({ send: first })).toMatch(/failed|account_id_id_idx/);
    const small = { id: first?.id, last_recipient_id: null };
    expect(await planWith({ send: small })).toMatch(/send/);
  });

  it('a page without a match returns where it stopped', async () => {
    const { rows, scannedTo } = await listMessages(database.db, accountId, { state: state.sent }, 20, 5_000);
    expect(rows).toEqual([]);
    const { rows: at } = await sql<{ n: number }>`
      select count(*)::int n from messages where account_id = ${accountId} and id >= ${scannedTo}`.execute(
      database.db,
    );
    expect(at).toEqual([{ n: 5_000 }]);
    for (const filter of [{ metadata: { key: 'n', value: 'x' } }, { name: 'x' }, { senderId: uuidv7() }])
      expect((await listMessages(database.db, accountId, filter, 20, 5_000)).scannedTo).toBe(scannedTo);
    const { pages } = await pagesOf({ state: state.sent }, 5_000);
    expect(pages).toHaveLength(7);
  });

  it('failures are read through their own index', async () => {
    const plan = await planOf(database.db, (db) => listMessages(db, accountId, { state: state.failed }, 20));
    expect(plan).toContain('messages_default_account_id_id_idx');
    expect(plan).not.toContain('Seq Scan on messages');
  });

  it('other states are read through the primary key, in order and up to the limit', async () => {
    const texts = await planOf(database.db, (db) => listMessages(db, accountId, { state: state.sent }, 0));
    expect(texts).toContain('messages_default_pkey');
    expect(texts).not.toMatch(/Seq Scan on messages|Sort/);
    expect(texts.match(/Limit/g)).toHaveLength(2);
  });

  describe('of a large send, partly apart from the queue', () => {
    const sendId = uuidv7();
    let send: NonNullable<MessageFilter['send']>;

    beforeAll(async () => {
      const { rows } = await sql<{ id: string }>`
        insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, expires_at)
        select ${accountId}, uuid7(), case when n % 3 = 0 then ${sendId} else ${uuidv7()} end::uuid, gen_random_uuid(), ${templateId}, (15560000000 + n)::text, '{}',
          5, now() from generate_series(1, 6000) n returning id`.execute(database.db);
      await sql`insert into sends (id, account_id, sender_id, template_id, template_name, language, total) values (${sendId}, ${accountId}, ${uuidv7()}, ${templateId}, 'x', 'en', 6000)`.execute(
        database.db,
      );
      const { rows: kept } = await sql<{ id: string }>`
        insert into send_recipients (send_id, account_id, phone, id, content)
        select ${sendId}::uuid, ${accountId}::uuid, (15570000000 + n)::text, uuid7(), '{}' from generate_series(1, 4000) n returning id`.execute(
        database.db,
      );
      await sql`vacuum analyze messages, send_recipients`.execute(database.db);
      const of = (all: { id: string }[]) => all.map(({ id }) => id).toSorted();
      send = { id: sendId, first_recipient_id: of(rows)[0] ?? '', last_recipient_id: of(kept).at(-1) ?? '' };
    });
    afterAll(() => sql`delete from messages where phone like '1556%'`.execute(database.db));

    it.each([
      ['all', {}, 6_000],
      ['in one state', { state: state.read }, 2_000],
      ['in the state of those that wait', { state: state.queued }, 4_000],
      ['to a phone', { phone: '15560000003' }, 1],
    ])('%s: finds all, newest first, with any scan limit', async (_what, filter, expected) => {
      for (const lookedThrough of [700, 7_000]) {
        const ids = await everyId({ ...filter, send }, lookedThrough);
        expect(new Set(ids).size).toBe(expected);
        expect(ids).toEqual(ids.toSorted().reverse());
      }
    });

    it('is read in the order of both tables, up to the limit, without the messages of others', async () => {
      const plan = await planOf(database.db, (db) => listMessages(db, accountId, { send }, 0));
      expect(plan).toContain('Index Scan Backward using send_recipients_order');
      expect(plan).toContain('messages_default_pkey');
      expect(plan).not.toMatch(/Sort(?! Key)|Seq Scan on (messages|send_recipients)/);
      expect((await listMessages(database.db, accountId, { send, name: 'x' }, 20, 5_000)).rows).toEqual([]);
    });
  });
});

describe('what a page of messages says is read by key', () => {
  beforeAll(async () => {
    const { db } = database;
    await insertAccount(db, accountId);
    await sql`
      insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
      select account_id, send_id, sender_id, template_id, 'n', 'en', 1 from messages`.execute(db);
    await sql`
      insert into templates (id, account_id, name, language, category, status, components)
      select gen_random_uuid(), ${accountId}, 't' || n, 'en', 'UTILITY', 'approved', '[]' from generate_series(1, 5000) n`.execute(
      db,
    );
    await sql`
      insert into template_versions (account_id, template_id, replaced_at, since, category, parameter_format, components)
      select account_id, id, now() - n * interval '1 day', now() - (n + 1) * interval '1 day', category, parameter_format, components
      from templates, generate_series(1, 4) n`.execute(db);
    await sql`vacuum analyze sends, templates, template_versions`.execute(db);
  });

  it.each<[string, (db: Db & Tx) => Promise<unknown>, string]>([
    ['the names of templates', (db) => findSendNames(db, accountId, [accountId]), 'sends_pkey'],
    ['their components', (db) => readVersions(db, accountId, [{ templateId, at: null }]), 'templates_pkey'],
    [
      'their earlier components',
      (db) => earlierVersions(db, accountId, [{ templateId, at: new Date() }]),
      'template_versions_pkey',
    ],
  ])('%s', async (_what, read, index) => {
    const plan = await planOf(database.db, read);
    expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan');
  });

  it('each version once, and the one of each instant', async () => {
    const { rows } = await sql<{ id: string }>`select id from templates limit 1`.execute(database.db);
    const [row] = rows;
    const daysAgo = (days: number) => ({
      ...{ templateId: row?.id ?? '', at: new Date(Date.now() - days * 86_400_000) },
    });
    const wanted = [daysAgo(2.5), daysAgo(2.6), daysAgo(0.5), daysAgo(9)];
    const found = await earlierVersions(database.db, accountId, wanted);
    expect(found.get(row?.id ?? '')).toHaveLength(2);
    const versionAt = await readVersions(database.db, accountId, wanted);
    const until = (days: number) => {
      const at = versionAt(daysAgo(days))?.until;
      return at && Math.round((Date.now() - at.getTime()) / 86_400_000);
    };
    expect([until(2.5), until(0.5), until(9)]).toEqual([2, null, 4]);
    expect(versionAt({ templateId: templateId ?? '', at: null })).toBeUndefined();
    expect((await readVersions(database.db, uuidv7(), wanted))(daysAgo(2.5))).toBeUndefined();
  });
});

it('state changes other than failures are heap-only updates', async () => {
  const { rows } = await sql<{ id: string }>`
    select id from messages where account_id = ${accountId} and state = 3`.execute(database.db);
  const report = (status: StatusReport['status']): StatusReport => ({
    ...{
      phoneNumberId: '1',
      messageRef: 'w',
      correlationId: null,
      status,
      timestamp: 1,
      priceCategory: null,
      billable: null,
      error: null,
    },
  });
  await sql`update messages set wamid = 'w' where account_id = ${accountId} and state = 3`.execute(
    database.db,
  );
  const hot = await database.hot.transaction().execute(async (tx) => {
    const moves = rows
      .map(({ id }) => foldReports(accountId, id, [report('delivered')]))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(await applyMoves(tx, moves)).toHaveLength(rows.length);
    const { rows: counted } = await sql<{ moved: number; hot: number }>`
      select pg_stat_get_xact_tuples_updated('messages_default'::regclass)::int moved,
        pg_stat_get_xact_tuples_hot_updated('messages_default'::regclass)::int hot`.execute(tx);
    return counted[0];
  });
  expect(hot?.moved).toBeGreaterThanOrEqual(rows.length);
  expect(hot?.hot).toBe(hot?.moved);
});
