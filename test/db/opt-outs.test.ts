// Opt-outs at the database: the gate of every statement that begins a dispatch, and the opt-out of all identities of a contact.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/db.ts';
import { retryTransient } from '../../src/db/failure.ts';
import { feedRecipients, startScheduled } from '../../src/messaging/campaigns/feeds-store.ts';
import { recordPeople } from '../../src/messaging/contacts/record-people.ts';
import { changeOptOuts } from '../../src/messaging/opt-outs/change.ts';
import { type Act, scope, source } from '../../src/messaging/opt-outs/opt-out.ts';
import { recordActs } from '../../src/messaging/opt-outs/record.ts';
import { beginDispatch } from '../../src/messaging/sending/messages-moves-store.ts';
import { insertScheduledSend } from '../../src/messaging/sending/scheduled-store.ts';
import { insertSend, type NewMessage } from '../../src/messaging/sending/sends-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { accountId, beginNow, message, open, sender, write } from '../harness/dispatch.ts';
import { planOf } from '../harness/plans.ts';
import { insertTemplate } from '../harness/templates.ts';

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
  phones.map((phone) => ({
    ...{ id: uuidv7(), phone, name: null, content: { body: [], buttons: [] }, mediaId: null, metadata: null },
    dispatchMode,
  }));
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

describe('the opt-out of a contact', () => {
  const person = (names: { phone?: string; userId?: string; otherPhones?: string[] }) => ({
    ...{ accountId, atMs: Date.now(), wroteTo: null },
    person: { phone: null, userId: null, name: null, otherPhones: [], otherUserIds: [], ...names },
  });
  const inTx = <T>(work: (tx: Tx) => Promise<T>) =>
    retryTransient(() => database.db.transaction().execute(work), 5);
  const name = (...names: Parameters<typeof person>) =>
    inTx((tx) => recordPeople(tx, [person(...names)], Date.now()));
  const identities = async () =>
    (
      await sql<{ identity: string; opt_out: number; scope: number | null }>`
        select i.identity, i.opt_out, o.scope from contact_identities i
        left join opt_outs o on o.account_id = i.account_id and o.contact_id = i.contact_id order by 1`.execute(
        database.db,
      )
    ).rows;
  const recorded = async () =>
    (
      await sql<{ scope: number; source: number; reason: string | null }>`
        select scope, source, reason from opt_outs`.execute(database.db)
    ).rows;
  const say = async (phone: string, one: Act) => {
    const { contactIds } = await name({ phone });
    await inTx((tx) =>
      recordActs(tx, [{ accountId, contactId: contactIds[0] as string, act: one }], Date.now()),
    );
  };

  it('is that of all its identities, also of new ones, and is lifted for all', async () => {
    await name({ phone: noMarketing, userId: 'A' });
    await change(noMarketing, scope.marketing);
    await name({ userId: 'A', otherPhones: ['15550000009'] });
    const expected = [noMarketing, '15550000009', 'u:A'].sort();
    expect(await identities()).toEqual(expected.map((identity) => ({ identity, opt_out: 1, scope: 1 })));
    await change('15550000009', scope.none);
    expect(await identities()).toEqual(expected.map((identity) => ({ identity, opt_out: 0, scope: 0 })));
  });

  it('does not hold in another account', async () => {
    await change(noMarketing, scope.marketing);
    const other = uuidv7();
    await sql`update contact_identities set account_id = ${other}`.execute(database.db);
    const { keys } = await stored(marketing, 'queued');
    expect(await beginNow(database, keys)).toEqual([true, true, true]);
  });

  const early = Date.now() - 60_000;
  it.each<[string, Act | null, Act | null, object[]]>([
    ['of the other contact', null, act(1, source.keyword, early), [{ scope: 1, source: source.keyword }]],
    ['of the older contact', act(1, source.platform, early), null, [{ scope: 1, source: source.platform }]],
    [
      'that is stricter',
      act(1, source.keyword, early + 9),
      act(2, source.api, early),
      [{ scope: 2, source: 4 }],
    ],
    [
      'rather than none',
      act(0, source.keyword, early + 9000),
      act(1, source.button, early),
      [{ scope: 1, source: 2 }],
    ],
    [
      'that is newer',
      act(1, source.keyword, early),
      act(1, source.error, early + 9000),
      [{ scope: 1, source: 3 }],
    ],
  ])('remains after a merge: the one %s', async (_which, first, second, expected) => {
    if (first) await say(noMarketing, first);
    else await name({ phone: noMarketing });
    if (second) await say(nothing, second);
    else await name({ phone: nothing });
    await name({ phone: noMarketing, otherPhones: [nothing] });
    expect(await recorded()).toMatchObject(expected);
    const [{ scope: to } = { scope: 0 }] = await recorded();
    expect(await identities()).toEqual(
      [noMarketing, nothing].map((identity) => ({ identity, opt_out: to, scope: to })),
    );
  });

  it('is the same for every identity after concurrent merges, names and changes', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `1555000010${index}`);
    const work = Array.from({ length: 60 }, (_, index) => {
      const [one, other] = [names[index % 8] as string, names[(index * 5 + 1) % 8] as string];
      if (index % 3 === 0) return change(one, (index % 2) as 0 | 1);
      return name({ phone: one, otherPhones: index % 4 === 0 ? [other] : [], userId: `U${index % 8}` });
    });
    await Promise.all(work);
    for (const { opt_out, scope: to } of await identities()) expect(opt_out).toBe(to ?? 0);
    const { rows: lost } = await sql`
      select 1 from opt_outs o where not exists (select from contacts c where c.id = o.contact_id)
      union all select 1 from contact_identities i where not exists (select from contacts c where c.id = i.contact_id)`.execute(
      database.db,
    );
    expect(lost).toEqual([]);
  });
});
