// Recording of people: one statement for known and new ones, and what concurrent transactions leave behind.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/db.ts';
import { updateContacts } from '../../src/messaging/contacts/contacts-store.ts';
import type { NamedPerson } from '../../src/messaging/contacts/identity.ts';
import { recordPeople } from '../../src/messaging/contacts/record-people.ts';
import { recordUsual } from '../../src/messaging/contacts/usual-people-store.ts';
import { insertReceived } from '../../src/messaging/received/store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const accountId = uuidv7();
const senderId = uuidv7();
const nowMs = 1_800_000_000_000;
let series = 0;

/** A person nobody knows yet. */
function someone(): { phone: string; userId: string; name: string | null } {
  series += 1;
  return { phone: String(15_550_000_000 + series), userId: `US.${series}`, name: 'Ada' };
}

const report = (
  person: Partial<ReturnType<typeof someone>>,
  atMs: number,
  wroteTo: string | null = senderId,
): NamedPerson => ({
  ...{ accountId, atMs, wroteTo },
  person: { phone: null, userId: null, name: null, otherPhones: [], otherUserIds: [], ...person },
});

const inTransaction = <T>(run: (tx: Tx) => Promise<T>) => database.hot.transaction().execute(run);
const record = async (...reports: NamedPerson[]) =>
  (await inTransaction((tx) => recordPeople(tx, reports, nowMs))).contactIds;

async function stored(contactId: string | undefined) {
  const { rows } = await sql<{ name: string | null; windows: Record<string, number>; identities: string[] }>`
    select name, (select jsonb_object_agg(sender_id, extract(epoch from last_received_at) * 1000) from contact_windows w
      where w.contact_id = c.id) as windows,
      (select array_agg(identity order by identity) from contact_identities i where i.contact_id = c.id) as identities
    from contacts c where id = ${contactId}`.execute(database.db);
  return rows[0];
}

describe('a person who writes', () => {
  it('has a contact, and a window that moves forward only', async () => {
    const ada = someone();
    const [first] = await record(report(ada, nowMs));
    const [later] = await record(report({ ...ada, name: null }, nowMs + 5_000));
    const [late] = await record(report(ada, nowMs + 2_000));
    expect([later, late]).toEqual([first, first]);
    const identities = [ada.phone, `u:${ada.userId}`].sort();
    expect(await stored(first)).toEqual({ name: 'Ada', windows: { [senderId]: nowMs + 5_000 }, identities });
  });

  it('gets the newest name, also after messages that change no name', async () => {
    const ada = someone();
    const [id] = await record(report(ada, nowMs));
    await record(report(ada, nowMs + 5_000));
    await record(report({ ...ada, name: 'Old' }, nowMs + 2_000));
    expect(await stored(id)).toMatchObject({ name: 'Ada' });
    await record(report({ ...ada, name: 'New' }, nowMs + 6_000));
    expect(await stored(id)).toMatchObject({ name: 'New', windows: { [senderId]: nowMs + 6_000 } });
  });

  it('has a window at each number, and none for being named', async () => {
    const ada = someone();
    const other = uuidv7();
    const [id] = await record(report(ada, nowMs, null));
    expect(await stored(id)).toMatchObject({ windows: null });
    await record(report(ada, nowMs), report(ada, nowMs + 1_000, other));
    expect(await stored(id)).toMatchObject({ windows: { [senderId]: nowMs, [other]: nowMs + 1_000 } });
  });

  it('is one contact if only some of the identities are known', async () => {
    const ada = someone();
    const [byPhone] = await record(report({ phone: ada.phone }, nowMs));
    const [byBoth, other] = await record(report(ada, nowMs + 1_000), report(someone(), nowMs));
    expect(byBoth).toBe(byPhone);
    expect(other).not.toBe(byPhone);
    expect((await stored(byPhone))?.identities).toEqual([ada.phone, `u:${ada.userId}`].sort());
  });

  it('is one contact after two that had one identity each, also without new names', async () => {
    const [ada, former] = [someone(), someone()];
    const [first] = await record(report(ada, nowMs));
    const [second] = await record(report({ phone: former.phone }, nowMs + 3_000));
    const change = report(ada, nowMs + 1_000);
    change.person.otherPhones = [former.phone];
    const [both] = await record(change);
    expect(await stored(both)).toMatchObject({
      windows: { [senderId]: nowMs + 3_000 },
      identities: [ada.phone, former.phone, `u:${ada.userId}`].sort(),
    });
    expect(await stored(both === first ? second : first)).toBeUndefined();
  });

  it('has an identity that comes with known names', async () => {
    const [ada, former] = [someone(), someone()];
    const [id] = await record(report(ada, nowMs));
    const change = report(ada, nowMs + 1_000);
    change.person.otherPhones = [former.phone];
    expect(await record(change)).toEqual([id]);
    expect((await stored(id))?.identities).toContain(former.phone);
  });
});

it('keeps names with every character that PostgreSQL’s arrays give a meaning', async () => {
  const names = ['"Ada"', 'back\\slash', '{a,b}', 'NULL', '', ' ', 'Zoë 💬', "it's"];
  const people = names.map((name) => ({ ...someone(), name }));
  const ids = await record(...people.map((person) => report(person, nowMs)));
  for (const [index, id] of ids.entries()) expect(await stored(id)).toMatchObject({ name: names[index] });
});

describe('concurrent transactions', () => {
  it('that record the same new person: the second one fails so that its batch repeats it', async () => {
    const ada = someone();
    let second: Promise<unknown> = Promise.resolve();
    const [first] = (
      await inTransaction(async (tx) => {
        const recorded = await recordPeople(tx, [report(ada, nowMs)], nowMs);
        second = record(report(ada, nowMs + 1_000)).catch((error: unknown) => error);
        await waitingForLock();
        return recorded;
      })
    ).contactIds;
    expect(await second).toMatchObject({ code: '40001' });
    expect(await record(report(ada, nowMs + 1_000))).toEqual([first]);
  });

  it.each([
    ['a person who never wrote', false],
    ['a name of somebody who was not known by it', true],
  ])('that record %s: the second one fails, before it waits for the contact', async (_case, isKnown) => {
    const ada = someone();
    if (isKnown) await record(report({ phone: ada.phone }, nowMs, null));
    const id = { userId: ada.userId };
    let second: Promise<unknown> = Promise.resolve();
    await inTransaction(async (tx) => {
      await recordPeople(tx, [report(id, nowMs, null)], nowMs);
      second = record(report(isKnown ? ada : id, nowMs, null)).catch((error: unknown) => error);
      await waitingForLock();
    });
    expect(await second).toMatchObject({ code: '40001' });
    const [one] = await record(report(ada, nowMs, null));
    expect(await stored(one)).toMatchObject({ identities: [ada.phone, `u:${ada.userId}`].sort() });
  });

  it('of which the second one brings an older name: the newer one stays', async () => {
    const ada = someone();
    const [id] = await record(report(ada, nowMs));
    let late: Promise<unknown> = Promise.resolve();
    await inTransaction(async (tx) => {
      await recordPeople(tx, [report({ ...ada, name: 'New' }, nowMs + 9_000)], nowMs);
      late = record(report({ ...ada, name: 'Old' }, nowMs + 5_000));
      await waitingForLock();
    });
    await late;
    expect(await stored(id)).toMatchObject({ name: 'New', windows: { [senderId]: nowMs + 9_000 } });
  });

  it('of which one waits within the update of the contact: its older name does not replace the newer one', async () => {
    const ada = someone();
    const [id = ''] = await record(report(ada, nowMs));
    const old = {
      accountId,
      id,
      ...ada,
      name: 'Old',
      namedAtMs: nowMs + 5_000,
      lastReceivedAtMs: nowMs + 5_000,
    };
    let late: Promise<unknown> = Promise.resolve();
    await inTransaction(async (tx) => {
      await recordPeople(tx, [report({ ...ada, name: 'New' }, nowMs + 9_000)], nowMs);
      // its snapshot has the windows of before
      late = inTransaction((other) => updateContacts(other, [old]));
      await waitingForLock();
    });
    expect(await late).toBe(1);
    expect(await stored(id)).toMatchObject({ name: 'New' });
  });

  it('of which one merges the contact of a known person: the window keeps the newest time', async () => {
    const ada = someone();
    await record(report({ phone: ada.phone }, nowMs));
    await record(report({ userId: ada.userId }, nowMs));
    let merging: Promise<unknown> = Promise.resolve();
    await inTransaction(async (tx) => {
      const reports = [
        report({ phone: ada.phone }, nowMs + 9_000),
        report({ userId: ada.userId }, nowMs + 8_000),
      ];
      await recordPeople(tx, reports, nowMs);
      merging = record(report(ada, nowMs + 1_000));
      await waitingForLock();
    });
    const [id] = (await merging) as string[];
    expect(await stored(id)).toMatchObject({ windows: { [senderId]: nowMs + 9_000 } });
  });

  /** Waits until a statement waits for a lock. */
  const waitingForLock = () =>
    expect
      .poll(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
        return rows.length;
      })
      .toBeGreaterThan(0);
});

it('enters contacts, identities and windows by their primary keys on an empty database', async () => {
  const person = { accountId, identities: ['1'], phone: '1', userId: null, name: null };
  const none = { events: [], busyEndpointIds: [], processId: 0, changes: [], leaseId: uuidv7() };
  const people = [{ ...person, senderId, atMs: nowMs, lastReceivedId: null, newContactId: uuidv7() }];
  for (const plan of [
    await planOf(database.hot, (tx) => recordUsual(tx, people)),
    await planOf(database.hot, (tx) =>
      insertReceived(tx, [], people, { settingsOf: [accountId], plainPeople: null }, none),
    ),
  ]) {
    for (const table of ['contacts', 'contact_identities', 'contact_windows'])
      expect(plan).toContain(`${table}_pkey`);
    expect(plan).not.toMatch(/Seq Scan on contact/);
    // by both columns, not by the account alone
    expect(plan).toMatch(/account_id = p.a\) AND \(identity = k.identity\)/);
  }
});
