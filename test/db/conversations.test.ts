// Lists of conversations: what a worker writes of contacts that changed, and searches that scan a bounded number of words.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { lowestUuidAt } from '../../src/base/uuid-time.ts';
import { lockFolding } from '../../src/messaging/contacts/changed-contacts-store.ts';
import { recordPeople } from '../../src/messaging/contacts/record-people.ts';
import { foldConversations } from '../../src/messaging/conversations/fold.ts';
import { pageOfContacts } from '../../src/messaging/conversations/list.ts';
import {
  listByLastMessage,
  listContacts,
  listFiltered,
  listOptedOut,
  scanWords,
} from '../../src/messaging/conversations/list-store.ts';
import { openRecordMissed } from '../../src/messaging/conversations/missed.ts';
import { searchOf } from '../../src/messaging/conversations/words.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const accountId = uuidv7();
const senderId = uuidv7();
// ids of the future would move the clock of ids for other tests
const nowMs = Date.now() - 100 * 86_400_000;
let series = 0;

/** Records that a person wrote; returns the contact and the message. */
async function wrote(
  names: { name?: string; phone?: string; userId?: string; otherPhones?: string[] },
  atMs = nowMs,
) {
  series += 1;
  const person = {
    ...{ phone: names.phone ?? null, userId: names.userId ?? null, name: names.name ?? null },
    ...{ otherPhones: names.otherPhones ?? [], otherUserIds: [] },
  };
  const id = lowestUuidAt(new Date(atMs)).slice(0, -12) + String(series).padStart(12, '0');
  const reports = [{ accountId, person, atMs, wroteTo: senderId, receivedId: id }];
  const recorded = await database.hot
    .transaction()
    .execute((tx) => recordPeople(tx, reports, nowMs + series));
  await sql`insert into received_messages (account_id, id, sender_id, person, type)
    values (${accountId}, ${id}, ${senderId}, ${names.phone ?? `u:${names.userId}`}, 'text')`.execute(
    database.db,
  );
  return { contactId: recorded.contactIds[0] ?? '', id };
}

const noted: string[] = [];
let heard = [accountId];
const note = (_account: string, kind: string, id = 'more') => noted.push(`${kind} ${id}`);
const fold = (limit?: number) =>
  foldConversations({ hot: database.hot, changes: { heardAccounts: () => heard, note } }, limit);
const order = async () =>
  (await listByLastMessage(database.db, accountId, { limit: 100 })).map(({ id, last_id }) => [id, last_id]);
const search = async (text: string, limit = 100, cursor?: string) =>
  pageOfContacts(database.db, accountId, { search: text, limit, cursor }, nowMs);

test('changes are folded in rounds, once each, and never by two processes at a time', async () => {
  const [ada, bob] = [await wrote({ phone: '15550001' }), await wrote({ phone: '15550002' }, nowMs + 1_000)];
  await wrote({ phone: '15550001' }, nowMs - 5_000);
  const other = await database.db.transaction().execute(async (tx) => {
    await lockFolding(tx);
    return fold();
  });
  expect([other, await order()]).toEqual([0, []]);
  expect(await fold(2)).toBe(2);
  expect(await fold(2)).toBe(0);
  expect(await fold()).toBe(0);
  expect(await order()).toEqual([
    [bob.contactId, bob.id],
    [ada.contactId, ada.id],
  ]);
  await wrote({ phone: '15550001' }, nowMs + 2_000);
  await fold();
  expect((await order()).map(([id]) => id)).toEqual([ada.contactId, bob.contactId]);
  expect([...new Set(noted)].sort()).toEqual(
    [ada.contactId, bob.contactId].sort().map((id) => `contacts ${id}`),
  );
});

test('a listed contact moves up by a message, never down by a late one, and gets a new name in the same round', async () => {
  const phone = '15550005';
  const first = await wrote({ phone, name: 'Lin' }, nowMs + 5_000);
  await fold();
  const placeOf = async () => (await order()).find(([id]) => id === first.contactId)?.[1];
  await wrote({ phone, name: 'Lin' }, nowMs + 4_000);
  await fold();
  expect(await placeOf()).toBe(first.id);
  const second = await wrote({ phone, name: 'Lin' }, nowMs + 6_000);
  await fold();
  expect(await placeOf()).toBe(second.id);
  await wrote({ phone, name: 'Lin' }, nowMs + 7_000);
  await wrote({ phone, name: 'Linnea' }, nowMs + 8_000);
  const last = await wrote({ phone, name: 'Linnea' }, nowMs + 9_000);
  await fold();
  expect(await placeOf()).toBe(last.id);
  expect((await search('linnea')).items.map(({ id }) => id)).toEqual([first.contactId]);
  expect((await search('lin')).items).toHaveLength(1);
  const unlist = () =>
    sql`delete from conversations where contact_id = ${first.contactId}`.execute(database.db);
  await unlist();
  // a known person who is not in the list comes back into it
  const again = await wrote({ phone, name: 'Linnea' }, nowMs + 9_500);
  await fold();
  expect(await placeOf()).toBe(again.id);
  await unlist();
});

test('a conversation keeps its place when its messages are removed', async () => {
  const ada = await wrote({ phone: '15550011' }, nowMs + 10_000);
  await fold();
  await sql`delete from received_messages where id = ${ada.id}`.execute(database.db);
  await wrote({ phone: '15550011', name: 'New' }, nowMs - 10_000);
  await fold();
  expect((await order())[0]).toEqual([ada.contactId, ada.id]);
  await sql`delete from conversations where contact_id = ${ada.contactId}`.execute(database.db);
});

test('merged contacts leave the list with their words, and the other one has the newest message of both', async () => {
  const [ada, other] = [
    await wrote({ phone: '15550021', name: 'Ada' }),
    await wrote({ phone: '15550022', name: 'Grace' }, nowMs + 20_000),
  ];
  await fold();
  await wrote({ phone: '15550021', name: 'Ada', otherPhones: ['15550022'] }, nowMs + 15_000);
  await fold();
  expect((await order()).filter(([id]) => id === ada.contactId || id === null)).toEqual([
    [ada.contactId, other.id],
  ]);
  const { rows } = await sql`select from conversation_words where contact_id = ${other.contactId}`.execute(
    database.db,
  );
  expect(rows).toEqual([]);
  expect((await search('grace')).items).toEqual([]);
  expect((await search('15550022')).items.map(({ id }) => id)).toEqual([ada.contactId]);
});

test('what an earlier release wrote without recording it is listed once its processes were seen', async () => {
  const [kim, lou] = [await wrote({ phone: '15550031', name: 'Kim' }), await wrote({ phone: '15550032' })];
  const [mo] = [await wrote({ userId: 'mo' })];
  await fold();
  // an earlier release records nothing
  const nowId = (ms: number) => lowestUuidAt(new Date(Date.now() + ms)).slice(0, -12) + '0'.repeat(12);
  const forgotten = async (act: () => Promise<unknown>) => {
    await act();
    await sql`delete from conversation_changes`.execute(database.db);
  };
  await forgotten(() => wrote({ phone: '15550032' }, nowMs + 60_000));
  await forgotten(() => wrote({ phone: '15550033', name: 'Nora' }, nowMs + 61_000));
  const replies = [
    { id: nowId(-3_000), phone: '15550031', user: null },
    { id: nowId(-2_000), phone: null, user: 'mo' },
  ];
  await forgotten(async () => {
    await wrote({ phone: '15550031' }, Date.now() - 5_000);
    await wrote({ userId: 'mo' }, Date.now() - 5_000);
  });
  for (const { id, phone, user } of replies)
    await sql`
      with m as (
        insert into messages (account_id, id, kind, sender_id, phone, user_id, content, priority, expires_at)
        values (${accountId}, ${id}, 1, ${senderId}, ${phone}, ${user}, '{}', 0, now()))
      insert into user_id_messages (account_id, user_id, message_id) select ${accountId}, ${user}::text, ${id}::uuid
      where ${user}::text is not null`.execute(database.db);
  const record = openRecordMissed(database);
  const newest = async () => (await order()).slice(0, 4).map(([id]) => id);
  const before = await newest();

  // no program without the migration was ever here
  expect(await record()).toBe(0);
  await sql`insert into programs (id, version, migrations, seen_at) values ('', 'x', '{}', now() - interval '3 hours')`.execute(
    database.db,
  );
  // not in the last hours: only the first step of a process reads all
  expect(await record()).toBe(0);
  expect(await newest()).toEqual(before);
  expect(await openRecordMissed(database)()).toBeGreaterThanOrEqual(4);
  await fold();
  const { items } = await search('nora');
  expect(await newest()).toEqual([mo.contactId, kim.contactId, items[0]?.id, lou.contactId]);
  expect((await order()).slice(0, 2).map(([, lastId]) => lastId)).toEqual([replies[1]?.id, replies[0]?.id]);

  // while such a program runs, every step
  await sql`update programs set seen_at = now() where id = ''`.execute(database.db);
  await forgotten(() => wrote({ phone: '15550032' }, nowMs + 62_000));
  await record();
  await fold();
  expect((await newest())[2]).toBe(lou.contactId);
});

test('a search finds everybody once over its pages, and scans no more words than it may', async () => {
  const names = ['Mia', 'Max', 'Mia Maria', 'Mo Max Mia', 'Mara'];
  const people = [];
  for (const [index, name] of names.entries()) people.push(await wrote({ phone: `4915550${index}`, name }));
  await fold();
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await search('m', 2, cursor ?? undefined);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.pagination.nextCursor;
  } while (cursor !== null);
  expect([...seen].sort()).toEqual(people.map(({ contactId }) => contactId).sort());
  const both = await search('ma mi');
  expect(both.items.map(({ name }) => name).sort()).toEqual(['Mia Maria', 'Mo Max Mia']);
  const scanned = await scanWords(
    database.db,
    accountId,
    { prefixes: ['n:m', 'p:491555'], others: [] },
    { after: undefined, limit: 3 },
  );
  expect(scanned).toHaveLength(3);
});

test('a conversation is unanswered until a reply, at once and after folding', async () => {
  const ada = await wrote({ phone: '15550041' }, nowMs + 30_000);
  const unanswered = async () =>
    (await listFiltered(database.db, accountId, 'unanswered', { limit: 100 })).map(({ id }) => id);
  expect(await unanswered()).not.toContain(ada.contactId);
  await fold();
  expect(await unanswered()).toContain(ada.contactId);
  const replyId = lowestUuidAt(new Date(nowMs + 40_000));
  await sql`with c as (update contacts set last_reply_id = ${replyId} where id = ${ada.contactId} returning account_id, id)
    insert into conversation_changes select account_id, id from c`.execute(database.db);
  expect(await unanswered()).toContain(null);
  expect(await unanswered()).not.toContain(ada.contactId);
  await fold();
  expect(await unanswered()).not.toContain(null);
  expect(await unanswered()).not.toContain(ada.contactId);
  await wrote({ phone: '15550041' }, nowMs + 50_000);
  await fold();
  expect(await unanswered()).toContain(ada.contactId);
  await sql`delete from conversations where contact_id = ${ada.contactId}`.execute(database.db);
});

test('lists read one page by its index, also with many contacts', async () => {
  await sql`
    with c as (insert into contacts (account_id, id, phone) select ${accountId}, uuid7(), n::text from generate_series(1, 5000) n returning *),
      i as (insert into contact_identities (account_id, identity, contact_id) select account_id, phone, id from c),
      w as (insert into conversation_words select account_id, 'p:' || phone, id from c)
    insert into conversations (account_id, contact_id, last_id, replied_id, words) select account_id, id, id, id, array['p:' || phone] from c`.execute(
    database.db,
  );
  await sql`analyze`.execute(database.db);
  const whole =
    /(Seq|Bitmap \w+) Scan on (contacts|conversations|conversation_words|contact_identities|messages|received)|Hash|Merge Join/;
  const window = { limit: 20, beforeId: uuidv7() };
  const plans = {
    conversations_list: (db = database.hot) => listByLastMessage(db, accountId, window),
    contacts_pkey: (db = database.hot) => listContacts(db, accountId, window),
    conversations_unanswered: (db = database.hot) => listFiltered(db, accountId, 'unanswered', window),
    contact_windows_pkey: (db = database.hot) =>
      listFiltered(
        db,
        accountId,
        { wroteAfter: new Date(nowMs), fromId: lowestUuidAt(new Date(nowMs)) },
        window,
      ),
    opt_outs_listed: (db = database.hot) => listOptedOut(db, accountId, window),
    conversation_words_pkey: (db = database.hot) =>
      scanWords(db, accountId, searchOf('12'), { after: undefined, limit: 100 }),
  };
  for (const [index, run] of Object.entries(plans)) {
    const plan = await planOf(database.hot, run);
    expect(plan, index).not.toMatch(whole);
    expect(plan, index).toContain(index);
  }
});

test('who begins to listen while changes are folded hears that contacts changed', async () => {
  const ada = await wrote({ phone: '15550009' });
  await fold();
  await wrote({ phone: '15550009' }, nowMs + 1_000);
  [heard, noted.length] = [[], 0];
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const folding = await database.db.transaction().execute(async (tx) => {
    await sql`select from conversations where contact_id = ${ada.contactId} for update`.execute(tx);
    const running = fold();
    await expect.poll(async () => (await waiting.execute(database.db)).rows.length).toBe(1);
    heard = [accountId];
    return { running };
  });
  await folding.running;
  expect(noted).toEqual(['contacts more']);
});
