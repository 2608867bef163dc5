// Opt-outs at the database: the gate of every statement that begins a dispatch.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { feedRecipients, startScheduled } from '../../src/messaging/campaigns/feeds-store.ts';
import { beginDispatch } from '../../src/messaging/messages/moves-store.ts';
import { changeOptOuts } from '../../src/messaging/opt-outs/change.ts';
import { type Act, scope, source } from '../../src/messaging/opt-outs/opt-out.ts';
import type { NewMessage } from '../../src/messaging/sending/new-sends-store.ts';
import { insertScheduledSend } from '../../src/messaging/sending/scheduled-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { accountId, beginNow, message, open, sender, write } from '../harness/dispatch.ts';
import { insertSend } from '../harness/insert-send.ts';
import { planOf } from '../harness/plans.ts';
import { insertTemplate } from '../harness/rows.ts';
import { message as newMessage } from '../harness/sends-in-database.ts';

let database: TestDatabase;
let senderId: string;
let templateId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  senderId = await sender(database);
  templateId = await insertTemplate(database.db, accountId);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate messages, sends, send_recipients, send_feeds, contacts, contact_identities, opt_outs`.execute(
    database.db,
  );
});

const [authentication, utility, marketing] = [0, 1, 2];
const deps = () => ({
  db: database.db,
  clock: { now: () => Date.now(), steady: () => 0 } as never,
  deliveries: { processId: 0, offer: () => undefined, busyEndpoints: () => [] },
});
const act = (to: Act['scope'], by: Act['source'] = source.api, atMs: number | null = null): Act => ({
  ...{ scope: to, source: by, reason: null, atMs },
});
const change = (phone: string, to: Act['scope']) =>
  changeOptOuts(deps(), [{ accountId, person: { phone }, act: act(to) }]);

/** People who opted out of marketing, of everything, and of nothing. */
const [noMarketing, nothing, everything] = ['15550000001', '15550000002', '15550000003'];
const phones = [noMarketing, nothing, everything];
async function optOuts() {
  await change(noMarketing, scope.marketing);
  await change(nothing, scope.all);
}

const recipients = (dispatchMode: NewMessage['dispatchMode']): NewMessage[] =>
  phones.map((phone) => newMessage({ phone, dispatchMode }));
const newSend = () => ({
  ...{ accountId, id: uuidv7(), senderId, templateId, templateName: 't', language: 'en', total: 3 },
});
const stored = async (priority: number, dispatchMode: NewMessage['dispatchMode']) => {
  const messages = recipients(dispatchMode);
  const written = await insertSend(database.hot, newSend(), messages, {
    ...{ priority, expiresInSeconds: 600, processId: 0 },
  });
  return { written, keys: messages.map(({ id }) => ({ accountId, id })) };
};
const rows = async () =>
  (
    await sql<{ phone: string; state: number; attempts: number; is_due: boolean; is_leased: boolean }>`
      select phone, state, attempts, due_at is not null is_due, due_at > now() is_leased from messages order by phone`.execute(
      database.db,
    )
  ).rows;

const cases: [string, number, boolean[]][] = [
  ['authentication', authentication, [true, true, true]],
  ['utility', utility, [true, false, true]],
  ['marketing', marketing, [false, false, true]],
];

describe('messages of the category', () => {
  it.each(cases)(
    '%s that are queued begin their dispatch only to people who want them',
    async (_name, priority, may) => {
      const { keys } = await stored(priority, 'queued');
      await optOuts();
      expect(await beginNow(database, keys)).toEqual(may);
    },
  );

  it.each(cases)(
    '%s are stored as dispatching or leased only for people who want them',
    async (_name, priority, may) => {
      await optOuts();
      const { written, keys } = await stored(priority, 'dispatching');
      expect((await rows()).map(({ state, attempts }) => state === 1 && attempts === 1)).toEqual(may);
      expect(written?.optedOut).toEqual(keys.filter((_key, at) => !may[at]).map(({ id }) => id));
      await sql`truncate messages`.execute(database.db);
      await stored(priority, 'leased');
      expect((await rows()).map(({ is_leased }) => is_leased)).toEqual(may);
    },
  );

  it.each(cases)(
    '%s of a campaign enter the queue only for people who want them',
    async (_name, priority, may) => {
      await optOuts();
      const send = { ...newSend(), sendAt: new Date(), components: [] };
      const messages = recipients('queued');
      await insertScheduledSend(database.hot, send, messages, { priority, expiresInSeconds: 600 });
      await startScheduled(database.hot, { accountId, sendId: send.id });
      const fed = await feedRecipients(database.hot, { accountId, sendId: send.id }, 10);
      expect(fed.count).toBe(3);
      expect([...fed.optedOut].sort()).toEqual(messages.filter((_one, at) => !may[at]).map(({ id }) => id));
      expect((await rows()).map(({ is_due }) => is_due)).toEqual(may);
    },
  );
});

it('the stricter category decides if the platform changed that of the template', async () => {
  await optOuts();
  const recategorize = (category: string) =>
    sql`update templates set category = ${category} where id = ${templateId}`.execute(database.db);
  const began = async (priority: number, category: string) => {
    const { keys } = await stored(priority, 'queued');
    // queued before the opt-out
    await sql`update messages set due_at = now()`.execute(database.db);
    await recategorize(category);
    return beginNow(database, keys);
  };
  expect(await began(utility, 'MARKETING')).toEqual([false, false, true]);
  expect(await began(marketing, 'UTILITY')).toEqual([false, false, true]);
  expect(await began(authentication, 'MARKETING')).toEqual([true, true, true]);
  await recategorize('UTILITY');
});

it('a message that was queued before the opt-out is failed by the worker, and not called', async () => {
  const { dispatcher, called, release } = open(database);
  release();
  const one = { ...message(senderId), phone: nothing };
  await write(database, one, 'queued');
  await change(nothing, scope.all);
  await dispatcher.round();
  const error = async () =>
    (
      await sql<{ code: string }>`select error ->> 'code' code from messages where state = 6`.execute(
        database.db,
      )
    ).rows[0]?.code;
  await expect.poll(error).toBe('900005');
  await dispatcher.stop();
  expect(called).toEqual([]);
});

it('waiting messages of this process are failed after an opt-out, and not called', async () => {
  let letAccess = () => {};
  const waits = new Promise<void>((resolve) => {
    letAccess = resolve;
  });
  const { dispatcher, called, release } = open(database, database.hot, false, undefined, () => waits);
  release();
  const [out, fine] = [
    { ...message(senderId), phone: nothing },
    { ...message(senderId), phone: everything },
  ];
  for (const one of [out, fine]) await write(database, one, 'leased');
  dispatcher.offer([out, fine]);
  await change(nothing, scope.all);
  letAccess();
  await expect.poll(async () => (await rows()).map(({ state }) => state)).toEqual([6, 2]);
  await dispatcher.stop();
  expect(called).toEqual([fine.id]);
});

describe('the plan of the gate', () => {
  const key = { accountId, id: uuidv7() };
  it.each([
    [
      'beginning a dispatch',
      () => planOf(database.hot, (db) => beginDispatch(db, [{ ...key, lease: null }])),
    ],
    ['feeding', () => planOf(database.hot, (db) => feedRecipients(db, { accountId, sendId: key.id }, 10))],
    [
      'inserting',
      () =>
        planOf(database.hot, (db) =>
          insertSend(db, newSend(), recipients('dispatching'), {
            ...{ priority: marketing, expiresInSeconds: 600, processId: 0 },
          }),
        ),
    ],
  ])('of %s is one probe of the index of opt-outs, on an empty and on a full table', async (_what, plan) => {
    const probe =
      /(SubPlan|InitPlan) \d+\n +-> +Index Only Scan using contact_identities_opted_out on contact_identities/;
    expect(await plan()).toMatch(probe);
    await sql`insert into contact_identities
      select ${accountId}::uuid, '1555' || g, gen_random_uuid(), (g % 20 = 0)::int from generate_series(1, 20000) g`.execute(
      database.db,
    );
    await sql`vacuum analyze contact_identities`.execute(database.db);
    const full = await plan();
    expect(full).toMatch(probe);
    expect(full.match(/contact_identities_opted_out/g)).toHaveLength(1);
  });
});

it('an opt-out does not hold in another account', async () => {
  await change(noMarketing, scope.marketing);
  const other = uuidv7();
  await sql`update contact_identities set account_id = ${other}`.execute(database.db);
  const { keys } = await stored(marketing, 'queued');
  expect(await beginNow(database, keys)).toEqual([true, true, true]);
});
