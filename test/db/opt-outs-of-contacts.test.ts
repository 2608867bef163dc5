// The opt-out of a contact at the database: of all its identities, after merges, and the events of who became stricter.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Tx } from '../../src/db/db.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { preparePeople, recordPeople } from '../../src/messaging/contacts/record-people.ts';
import { changeOptOuts } from '../../src/messaging/opt-outs/change.ts';
import { openLinkRecipients } from '../../src/messaging/opt-outs/link-recipients.ts';
import { type Act, scope, source } from '../../src/messaging/opt-outs/opt-out.ts';
import { eventsOfStricter, recordActs } from '../../src/messaging/opt-outs/record.ts';
import { recordNamed } from '../../src/messaging/received/people-in-batch.ts';
import { publish } from '../../src/webhooks/publish.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { accountId } from '../harness/dispatch.ts';
import { insertAccount, insertEndpoint } from '../harness/rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate contacts, contact_identities, opt_outs`.execute(database.db);
});

const [noMarketing, nothing, everything] = ['15550000001', '15550000002', '15550000003'];
const deps = () => ({
  ...{ db: database.db, hot: database.hot, log: { warn: () => undefined } as never },
  clock: { now: () => Date.now(), steady: () => 0 } as never,
  deliveries: { processId: 0, offer: () => undefined, busyEndpoints: () => [] },
});
const act = (to: Act['scope'], by: Act['source'] = source.api, atMs: number | null = null): Act => ({
  ...{ scope: to, source: by, reason: null, atMs },
});
const change = (phone: string, to: Act['scope'], otherPhones: string[] = []) =>
  changeOptOuts(deps(), [{ accountId, person: { phone, otherPhones }, act: act(to) }]);

describe('the opt-out of a contact', () => {
  const person = (names: { phone?: string; userId?: string; otherPhones?: string[] }) => ({
    ...{ accountId, atMs: Date.now(), wroteTo: null },
    person: { phone: null, userId: null, name: null, otherPhones: [], otherUserIds: [], ...names },
  });
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(database.db, work, 5);
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

  /** Names a person, and returns what the events of the merge say. */
  const eventsOf = (...names: Parameters<typeof person>[0][]) =>
    inTx(async (tx) => {
      const { stricter } = await recordPeople(
        tx,
        names.map((one) => person(one)),
        Date.now(),
      );
      const events = await eventsOfStricter(tx, stricter, Date.now());
      return events.map(({ kind, body }) => {
        const { data } = JSON.parse(body) as {
          data: { phones: string[]; scope: string; previousScope: string | null };
        };
        return [kind, data.phones, data.previousScope, data.scope];
      });
    });
  const both = [noMarketing, nothing];

  it('is reported when a merge makes the other contact stricter, not when both had the same', async () => {
    await name({ phone: everything });
    await change(noMarketing, scope.marketing);
    await change(nothing, scope.all);
    const merge = { phone: noMarketing, otherPhones: [nothing], userId: 'A' };
    expect(await eventsOf(merge)).toEqual([['contacts.opted_out', both, 'marketing', 'all']]);
    expect(await eventsOf(merge)).toEqual([]);
    const third = [['contacts.opted_out', [...both, everything], null, 'all']];
    expect(await eventsOf({ userId: 'A', otherPhones: [everything] })).toEqual(third);
  });

  it('is reported for a number that was not known before, not for an id', async () => {
    await change(noMarketing, scope.marketing);
    expect(await eventsOf({ phone: noMarketing, userId: 'A' })).toEqual([]);
    const joined = [['contacts.opted_out', both, null, 'marketing']];
    expect(await eventsOf({ phone: noMarketing, otherPhones: [nothing] })).toEqual(joined);
    await change(noMarketing, scope.none);
    expect(await eventsOf({ phone: noMarketing, otherPhones: [everything] })).toEqual([]);
  });

  it('holds, and is reported once, for contacts that several people of one batch join', async () => {
    await name({ phone: everything, userId: 'A' });
    await name({ phone: nothing });
    await change(noMarketing, scope.marketing);
    const chain = [
      { phone: everything, otherPhones: [noMarketing] },
      { userId: 'A', otherPhones: [nothing] },
    ];
    expect(await eventsOf(...chain)).toEqual([
      ['contacts.opted_out', [noMarketing, nothing, everything], null, 'marketing'],
    ]);
    for (const { opt_out } of await identities()) expect(opt_out).toBe(scope.marketing);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'a link between the forms of a number',
      () =>
        openLinkRecipients(deps()).linkRecipient({ accountId, phone: nothing, platformPhone: noMarketing }),
    ],
    ['an act of the API', () => change(noMarketing, scope.marketing, [nothing])],
    [
      'a callback',
      () =>
        inTx((tx) => {
          const named = person({ phone: noMarketing, otherPhones: [nothing] });
          const prepared = preparePeople([named], Date.now());
          const batch = { people: [{ named, rank: [0, 0] as const }], prepared, usual: [] };
          const none = { fresh: new Set<never>(), settings: new Map<string, never>() };
          return recordNamed(tx, { ...batch, ...none }, Date.now()).then(({ events }) =>
            publish(deps(), tx, events),
          );
        }),
    ],
  ])('is sent as an event when %s merges contacts', async (_what, merge) => {
    await change(noMarketing, scope.marketing);
    await name({ phone: nothing });
    await insertAccount(database.db, accountId);
    const endpointId = await insertEndpoint(database.db, accountId, { events: ['contacts.opted_out'] });
    await merge();
    const { rows } = await sql`
      select body::jsonb #> '{data,phones}' as phones from deliveries where endpoint_id = ${endpointId}`.execute(
      database.db,
    );
    expect(rows).toEqual([{ phones: both }]);
  });

  it('is not lost if the contact is merged while it is recorded', async () => {
    for (const phone of both) await name({ phone });
    const { changing } = await inTx(async (tx) => {
      await recordPeople(tx, [person({ phone: noMarketing, otherPhones: [nothing] })], Date.now());
      const changing = change(nothing, scope.marketing);
      const waiting = async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(database.hot);
        return rows.length;
      };
      await expect.poll(waiting).toBe(1);
      return { changing };
    });
    await changing;
    expect(await identities()).toEqual(both.map((identity) => ({ identity, opt_out: 1, scope: 1 })));
  });

  it('and contact of a recipient is not stored again if they are erased while they are linked', async () => {
    await name({ phone: nothing });
    const linked = Promise.withResolvers<void>();
    const execute = async (work: (tx: Tx) => Promise<unknown>) => {
      await sql`truncate contacts, contact_identities`.execute(database.db);
      return database.hot.transaction().execute(work).finally(linked.resolve);
    };
    // erases them between the look-up and the transaction
    const hot = new Proxy(database.hot, {
      get(of, member) {
        if (member === 'transaction') return () => ({ execute });
        const value: unknown = Reflect.get(of, member, of);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
    const recipient = person({ phone: nothing, userId: 'A' });
    openLinkRecipients({ ...deps(), hot }).linkNames(recipient);
    await linked.promise;
    expect(await identities()).toEqual([]);
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
