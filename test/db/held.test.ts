// The statements that begin a call or claim work, on the database of a held gateway whose process has not noticed.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  claimDue as claimBookings,
  claimExpiredLease,
} from '../../src/appointments/booking/bookings-store.ts';
import { startInserts } from '../../src/appointments/booking/holds-store.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { endHeld } from '../../src/db/gateway-state.ts';
import { claimFeed } from '../../src/messaging/campaigns/feeds-store.ts';
import { claimDue } from '../../src/messaging/dispatch/claims-store.ts';
import { insertReply } from '../../src/messaging/replies/store.ts';
import { claimDeliveries } from '../../src/webhooks/delivery/store.ts';
import { insertDeliveries } from '../../src/webhooks/publish-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { accountId, beginNow, message, rowOf, sender, write } from '../harness/dispatch.ts';
import { insertEndpoint } from '../harness/rows.ts';
import { stageEvent } from '../harness/webhooks-fixture.ts';

let database: TestDatabase;
let senderId: string;
const endpointId = uuidv7();
const staffId = uuidv7();

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  senderId = await sender(database);
  await insertEndpoint(db, accountId, { id: endpointId });
  await sql`insert into staff (id, account_id, name) values (${staffId}, ${accountId}, 'Ada')`.execute(db);
});
afterAll(() => database.drop());
beforeEach(() => sql`update gateway_state set held_since = now()`.execute(database.db));

/** Checks that `work` finds nothing while the gateway is held, and something when it is released. */
async function expectHeld(work: () => Promise<number>): Promise<void> {
  expect(await work()).toBe(0);
  await endHeld(database.db);
  expect(await work()).toBe(1);
}

async function insertBooking(state: string): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email, phone_number, source,
      answers, fallback_link, due_at)
    values (${id}, ${accountId}, ${staffId}, ${state}, '2030-01-01T10:00Z', '2030-01-01T10:30Z', 'UTC', 'a@example.com',
      '1', 'test', '[]', 'x', now())`.execute(database.db);
  return id;
}

describe('while the gateway is held', () => {
  test('no queued message is claimed, and no leased one is dispatched', async () => {
    const one = message(senderId);
    await write(database, one, 'queued');
    const { hot } = database;
    await expectHeld(async () => (await claimDue(hot, 10, [], 1)).claimed.length);
    await sql`update gateway_state set held_since = now()`.execute(database.db);
    const key = [{ accountId, id: one.id }];
    await expectHeld(async () => (await beginNow(database, key)).filter(Boolean).length);
  });

  test('a message is never inserted as dispatching', async () => {
    const one = message(senderId);
    await write(database, one);
    expect(await rowOf(database, one)).toMatchObject({ state: 0, attempts: 0 });
  });

  test('a reply is never inserted as dispatching', async () => {
    const contactId = uuidv7();
    await sql`insert into contacts (id, account_id) values (${contactId}, ${accountId})`.execute(database.db);
    await sql`
      insert into contact_identities (account_id, identity, contact_id) values (${accountId}, '15550199', ${contactId})`.execute(
      database.db,
    );
    await sql`
      insert into contact_windows (account_id, contact_id, sender_id, last_received_at)
      values (${accountId}, ${contactId}, ${senderId}, now())`.execute(database.db);
    const inserted = await insertReply(database.hot, {
      ...{
        accountId,
        id: uuidv7(),
        senderId,
        phone: '15550199',
        userId: null,
        mediaId: null,
        metadata: null,
      },
      ...{ identity: '15550199', content: { reply: { type: 'text', text: 'Hi' } } as never },
      ...{ priority: 0, processId: 1, dispatchMode: 'dispatching' },
    });
    expect(inserted).toMatchObject({ isOpen: false, lease: null, isDispatching: false });
  });

  test('no recipient enters the queue', async () => {
    const sendId = uuidv7();
    await sql`
      insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
      values (${accountId}, ${sendId}, ${senderId}, ${senderId}, 't', 'en', 1)`.execute(database.db);
    await sql`
      insert into send_feeds (send_id, account_id, due_at) values (${sendId}, ${accountId}, now())`.execute(
      database.db,
    );
    await expectHeld(async () =>
      (await claimFeed(database.db, { leaseSeconds: 10, processId: 1 })) ? 1 : 0,
    );
  });

  test('an event waits: neither its publication nor a claim leases it', async () => {
    const publish = () =>
      database.hot.transaction().execute((tx) =>
        insertDeliveries(tx, {
          events: [stageEvent(accountId, uuidv7(), 'sent')],
          busyEndpointIds: [],
          processId: 1,
        }),
      );
    expect(await publish()).toEqual([]);
    await expectHeld(async () => {
      const claim = { perEndpoint: 10, total: 10, except: [], processId: 1 };
      return (await claimDeliveries(database.hot, claim)).length;
    });
    expect(await publish()).toHaveLength(1);
  });

  test('no booking is reconciled, and no event insert begins', async () => {
    const { db } = database;
    const [due, expired] = [await insertBooking('confirmed'), await insertBooking('confirmed')];
    await expectHeld(async () => ((await claimExpiredLease(db, expired, 60_000)) ? 1 : 0));
    await sql`update gateway_state set held_since = now()`.execute(db);
    await expectHeld(async () => (await claimBookings(db, 10, 60_000)).filter(({ id }) => id === due).length);
    await sql`update gateway_state set held_since = now()`.execute(db);
    const held = await insertBooking('held');
    await expectHeld(async () => (await startInserts(db, [held], 60_000)).size);
  });
});
