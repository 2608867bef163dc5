// Messages that must not be called: those of held templates, halted senders and cancelled sends.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { cancelSend, continueCancellation } from '../../src/messaging/dispatch/cancel.ts';
import { beginCancel } from '../../src/messaging/dispatch/cancel-store.ts';
import { claimDue, findCompletions } from '../../src/messaging/dispatch/claims-store.ts';
import { resumeMessages, suspendMessages } from '../../src/messaging/dispatch/holds-store.ts';
import { openCompletionWaiters } from '../../src/messaging/messages/completion-waiters.ts';
import type { NewMessage } from '../../src/messaging/sending/new-sends-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { accountId, beginNow, sender as insertSender, queueSend } from '../harness/dispatch.ts';
import { insertTemplate } from '../harness/rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  // counts every update of a message
  await sql`create table versions (id uuid not null)`.execute(database.db);
  await sql`
    create function count_version() returns trigger language plpgsql as
    $$ begin insert into versions values (new.id); return null; end $$`.execute(database.db);
  await sql`create trigger versions after update on messages for each row execute function count_version()`.execute(
    database.db,
  );
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate messages, versions, template_holds, send_cancellations`.execute(database.db);
});

const sender = () => insertSender(database);

async function template(status: 'approved' | 'submitted' = 'approved'): Promise<string> {
  const id = await insertTemplate(database.db, accountId);
  await setStatus(id, status);
  return id;
}

const setStatus = (templateId: string, status: 'approved' | 'submitted') =>
  sql`update templates set status = ${status} where id = ${templateId}`.execute(database.db);

type Origin = Parameters<typeof queueSend>[2];
/** Inserts a send with `count` messages; returns its id and their keys. */
const queued = (count: number, origin: Origin, dispatchMode?: NewMessage['dispatchMode']) =>
  queueSend(database, count, origin, dispatchMode);

/** Counts a template's messages by state, and the suspended ones among the queued. */
async function countStates(templateId: string) {
  const { rows } = await sql<{ queued: number; parked: number; failed: number }>`
    select count(*) filter (where state = 0)::int queued, count(*) filter (where state = 6)::int failed,
      count(*) filter (where state = 0 and due_at = expires_at)::int parked
    from messages where template_id = ${templateId}`.execute(database.db);
  return rows[0];
}

async function versions(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int n from versions`.execute(database.db);
  return rows[0]?.n ?? 0;
}

const round = (perSender = 200) => claimDue(database.hot, perSender, [], 0);

async function unparkAll(atOnce = 2_000): Promise<number> {
  let times = 0;
  while ((await resumeMessages(database.hot, atOnce)) > 0) times += 1;
  return times;
}

describe('messages of a held template', () => {
  it('are updated once each, however many there are, and do not delay other messages', async () => {
    const senderId = await sender();
    const [paused, other] = [await template(), await template()];
    await queued(1_000, { senderId, templateId: paused });
    await queued(1_000, { senderId, templateId: paused });
    const behind = await queued(3, { senderId, templateId: other });
    await setStatus(paused, 'submitted');
    const claimed: string[] = [];
    let rounds = 0;
    for (; claimed.length < 3; rounds++) claimed.push(...(await round()).claimed.map(({ id }) => id));
    expect(claimed).toEqual(behind.keys.map(({ id }) => id));
    expect(rounds).toBeLessThanOrEqual(11);
    expect(await countStates(paused)).toEqual({ queued: 2_000, parked: 2_000, failed: 0 });
    expect(await versions()).toBe(2_003);
    // no further updates while the hold lasts
    expect(await round()).toEqual({ claimed: [], suspended: 0 });
    expect(await unparkAll()).toBe(0);
    expect(await versions()).toBe(2_003);

    await setStatus(paused, 'approved');
    expect(await unparkAll(500)).toBe(5);
    expect(await countStates(paused)).toEqual({ queued: 2_000, parked: 0, failed: 0 });
    expect(await versions()).toBe(4_003);
    expect((await round()).claimed).toHaveLength(200);
  });

  it('resume when their template was deleted at the platform, which then decides their results', async () => {
    const origin = { senderId: await sender(), templateId: await template('submitted') };
    await queued(3, origin);
    expect(await round()).toEqual({ claimed: [], suspended: 3 });
    await sql`delete from templates where id = ${origin.templateId}`.execute(database.db);
    await unparkAll();
    expect((await round()).claimed).toHaveLength(3);
  });

  it('resume even if they are suspended while the template is being approved', async () => {
    const origin = { senderId: await sender(), templateId: await template('submitted') };
    const { keys } = await queued(2, origin);
    // of messages that have expired since
    await sql`insert into template_holds (template_id, account_id) values (${origin.templateId}, ${accountId})`.execute(
      database.db,
    );
    await setStatus(origin.templateId, 'approved');
    await database
      .open()
      .transaction()
      .execute(async (tx) => {
        // a claim saw the template just before the approval
        await sql`update template_holds set parked_at = now()`.execute(tx);
        await sql`update messages set due_at = expires_at where id = any(${keys.map(({ id }) => id)})`.execute(
          tx,
        );
        expect(await resumeMessages(database.hot, 10)).toBe(0);
      });
    expect(await resumeMessages(database.hot, 10)).toBe(2);
    expect((await round()).claimed).toHaveLength(2);
    // held when their call was rejected, but approved before they are suspended: they stay due
    const late = await queued(1, origin);
    await suspendMessages(database.hot, late.keys);
    expect((await round()).claimed).toHaveLength(1);
  });

  it('resume without waiting for a claim that has locked some, and keep their hold until those resume too', async () => {
    const origin = { senderId: await sender(), templateId: await template('submitted') };
    const { keys } = await queued(2, origin);
    expect(await round()).toEqual({ claimed: [], suspended: 2 });
    await setStatus(origin.templateId, 'approved');
    await database
      .open()
      .transaction()
      .execute(async (tx) => {
        // as a claim that still saw them due, and waits for the hold in the same transaction
        await sql`select from messages where id = ${keys[0]?.id} for update`.execute(tx);
        expect(await resumeMessages(database.hot, 10)).toBe(1);
        expect(await resumeMessages(database.hot, 10)).toBe(0);
      });
    expect(await resumeMessages(database.hot, 10)).toBe(1);
    expect((await round()).claimed).toHaveLength(2);
  });

  it('do not begin their dispatch, are not stored as dispatching, and no request waits for them', async () => {
    const senderId = await sender();
    const [held, open] = [await template('submitted'), await template()];
    const waiting = await queued(1, { senderId, templateId: held }, 'leased');
    const free = await queued(1, { senderId, templateId: open }, 'leased');
    expect(waiting.written).toMatchObject({ isOpen: false, lease: null, optedOut: [] });
    expect(free.written).toMatchObject({ isOpen: true, lease: expect.any(String), optedOut: [] });
    const keys = [...waiting.keys, ...free.keys];
    const settled = await findCompletions(
      database.hot,
      accountId,
      keys.map(({ id }) => id),
      20,
    );
    expect(settled).toMatchObject([{ id: waiting.keys[0]?.id, state: 0 }]);
    expect(await beginNow(database, keys)).toEqual([false, true]);
    const marked = await queued(1, { senderId, templateId: held }, 'dispatching');
    expect(marked.written?.isOpen).toBe(false);
    expect(await countStates(held)).toMatchObject({ queued: 2 });
  });

  it('expire like other messages instead of being suspended repeatedly', async () => {
    const origin = { senderId: await sender(), templateId: await template('submitted') };
    const { keys } = await queued(2, origin);
    await sql`update messages set expires_at = now() where id = ${keys[0]?.id}`.execute(database.db);
    expect(await round()).toMatchObject({ claimed: [{ id: keys[0]?.id, expired: true }], suspended: 1 });
  });
});

describe('a claim', () => {
  it('returns the most urgent messages first, and of those the oldest first', async () => {
    const origin = { senderId: await sender(), templateId: await template() };
    const marketing = await queued(2, { ...origin, priority: 2 });
    const utility = await queued(2, { ...origin, priority: 1 });
    const codes = await queued(1, { ...origin, priority: 0 });
    const order: string[] = [];
    for (let claimedCount = 0; claimedCount < 5; claimedCount++) {
      const { claimed } = await round(1);
      order.push(...claimed.map(({ id }) => id));
    }
    const first = [...codes.keys, ...utility.keys].map(({ id }) => id);
    expect(order.slice(0, 1)).toEqual(first.slice(0, 1));
    expect(order.slice(1, 3).sort()).toEqual(first.slice(1).sort());
    expect(order.slice(3).sort()).toEqual(marketing.keys.map(({ id }) => id).sort());
  });

  it('never returns a dispatching message, however old its lease', async () => {
    const origin = { senderId: await sender(), templateId: await template() };
    const { keys } = await queued(2, origin);
    expect(await beginNow(database, keys.slice(0, 1))).toEqual([true]);
    await sql`update messages set due_at = now() - interval '1 hour'`.execute(database.db);
    expect((await round()).claimed.map(({ id }) => id)).toEqual([keys[1]?.id]);
  });

  it('skips messages that another process has locked, without waiting for them', async () => {
    const origin = { senderId: await sender(), templateId: await template() };
    const { keys } = await queued(2, origin);
    const [first, second] = keys.map(({ id }) => id);
    await database
      .open()
      .transaction()
      .execute(async (tx) => {
        await sql`select from messages where id = ${first} for update`.execute(tx);
        expect((await round()).claimed.map(({ id }) => id)).toEqual([second]);
      });
    expect((await round()).claimed.map(({ id }) => id)).toEqual([first]);
  });
});

describe('a cancelled send', () => {
  const deps = () => ({
    db: database.db,
    hot: database.hot,
    clock: systemClock,
    completions: openCompletionWaiters(),
    deliveries: { offer: () => undefined, busyEndpoints: () => [], processId: 0 },
  });

  it('begins no dispatch after its commit, and is completed even if the process dies before the first step', async () => {
    const origin = { senderId: await sender(), templateId: await template() };
    const { sendId, keys } = await queued(1_500, origin);
    const other = await queued(2, origin);
    await beginCancel(database.db, { accountId, sendId }, 0);
    expect(await beginNow(database, keys.slice(0, 2))).toEqual([false, false]);
    expect(await beginNow(database, other.keys)).toEqual([true, true]);
    // another process continues
    expect(await continueCancellation(deps())).toBe(1_501);
    expect(await continueCancellation(deps())).toBe(0);
    expect(await countStates(origin.templateId)).toMatchObject({ queued: 0, failed: 1_500 });
    expect(await versions()).toBe(1_502);
    expect(await cancelSend(deps(), { accountId, sendId })).toBe(0);
  });

  it('is checked again while one of its messages is dispatching, because it may return to the queue', async () => {
    const origin = { senderId: await sender(), templateId: await template() };
    const { sendId, keys } = await queued(3, origin);
    expect(await beginNow(database, keys.slice(0, 1))).toEqual([true]);
    expect(await cancelSend(deps(), { accountId, sendId })).toBe(2);
    // rejected for now; its sender was halted in the meantime, so no claim finds it
    await sql`update messages set state = 0 where state = 1`.execute(database.db);
    await sql`update senders set halted_at = now() where id = ${origin.senderId}`.execute(database.db);
    expect(await continueCancellation(deps())).toBe(0);
    await sql`update send_cancellations set due_at = now()`.execute(database.db);
    expect(await continueCancellation(deps())).toBe(2);
    expect(await countStates(origin.templateId)).toMatchObject({ queued: 0, failed: 3 });
  });
});
