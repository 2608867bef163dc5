// The steps by which sends enter the queue and leave it: fences of pause, cancel and expiry, and nothing lost or doubled.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/db.ts';
import { makePartitions } from '../../src/db/partitions.ts';
import { lockPortion, movePortion } from '../../src/messaging/campaigns/changed-feeds-store.ts';
import {
  claimFeed,
  delayFeed,
  endFeed,
  endRecipients,
  feedRecipients,
  findRoom,
  returnMessages,
  startScheduled,
} from '../../src/messaging/campaigns/feeds-store.ts';
import { lockSend, pause, resume } from '../../src/messaging/campaigns/transitions-store.ts';
import { openCompletionWaiters } from '../../src/messaging/sending/completion-waiters.ts';
import { claimDue } from '../../src/messaging/sending/messages-claims-store.ts';
import { recordRetry } from '../../src/messaging/sending/messages-moves-store.ts';
import { recheckMessages } from '../../src/messaging/sending/recheck.ts';
import { lockTemplateToRecheck, oldestOpenSend } from '../../src/messaging/sending/recheck-store.ts';
import { insertScheduledSend } from '../../src/messaging/sending/scheduled-store.ts';
import { beginCancel, insertSend } from '../../src/messaging/sending/sends-store.ts';
import { findTemplate, type TemplateRow } from '../../src/messaging/templates/store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { accountId, beginNow, sender } from '../harness/dispatch.ts';
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
  await sql`truncate messages, sends, send_recipients, send_feeds, send_cancellations`.execute(database.db);
});

const recipients = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: uuidv7(),
    phone: String(15_550_000_000 + index),
    name: null,
    content: { body: [], buttons: [] },
    mediaId: null,
    metadata: null,
    dispatchMode: 'queued' as const,
  }));
const newSend = (total: number) => ({
  accountId,
  id: uuidv7(),
  senderId,
  templateId,
  templateName: 't',
  language: 'en',
  total,
});

/** A started send with recipients that are kept apart. */
async function started(count: number) {
  const messages = recipients(count);
  const send = { ...newSend(count), sendAt: new Date() };
  await insertScheduledSend(database.hot, send, messages, { priority: 1, expiresInSeconds: 600 });
  await startScheduled(database.hot, { accountId, sendId: send.id });
  return { key: { accountId, sendId: send.id }, keys: messages.map(({ id }) => ({ accountId, id })) };
}

/** A plain send with queued messages. */
async function queued(count: number) {
  const messages = recipients(count);
  const send = newSend(count);
  await insertSend(database.hot, send, messages, { priority: 1, expiresInSeconds: 600, processId: 0 });
  return { key: { accountId, sendId: send.id }, keys: messages.map(({ id }) => ({ accountId, id })) };
}

const inTx = <T>(work: Parameters<ReturnType<typeof database.db.transaction>['execute']>[0]) =>
  database.db.transaction().execute(work) as Promise<T>;
const pauseIt = (key: { accountId: string; sendId: string }) => inTx((tx) => pause(tx, key));
const resumeIt = (key: { accountId: string; sendId: string }) => inTx((tx) => resume(tx, key));
const idsIn = async (table: 'messages' | 'send_recipients') =>
  (await sql<{ id: string }>`select id from ${sql.table(table)} order by id`.execute(database.db)).rows.map(
    ({ id }) => id,
  );
const leased = async () => {
  await sql`update send_feeds set due_at = now()`.execute(database.db);
  const feed = await claimFeed(database.db, 30);
  if (!feed) throw new Error('no feed is due');
  return feed;
};

describe('a paused send', () => {
  it('begins no dispatch, not even of leased messages, and its claimed messages are marked', async () => {
    const { key, keys } = await queued(2);
    await pauseIt(key);
    expect(await beginNow(database, keys)).toEqual([false, false]);
    const { claimed } = await claimDue(database.hot, 10, [], 0);
    expect(claimed.map(({ paused }) => paused)).toEqual([true, true]);
    await resumeIt(key);
    expect(await beginNow(database, keys)).toEqual([true, true]);
  });

  it('feeds nothing', async () => {
    const { key } = await started(3);
    await pauseIt(key);
    expect(await feedRecipients(database.hot, key, 10)).toMatchObject({ count: 0 });
    await resumeIt(key);
    expect(await feedRecipients(database.hot, key, 10)).toMatchObject({ count: 3 });
  });

  it('returns queued messages with their ids, attempts and rejection, and leaves those that are being dispatched', async () => {
    const { key, keys } = await queued(3);
    await beginNow(database, keys.slice(0, 2));
    const [first, second] = keys;
    const error = { code: 131056, title: 't', message: 'm' };
    const retry = { delaySeconds: 60, error, countsAttempt: true, lease: null };
    await recordRetry(database.hot, [{ ...(second as { accountId: string; id: string }), ...retry }]);
    await pauseIt(key);
    expect(await returnMessages(database.hot, key, 10)).toBe(2);
    expect(await idsIn('messages')).toEqual([first?.id]);
    expect(await idsIn('send_recipients')).toEqual(keys.slice(1).map(({ id }) => id));
    await resumeIt(key);
    await sql`update sends set checked_version = '-infinity'`.execute(database.db);
    expect(await feedRecipients(database.hot, key, 10)).toMatchObject({ count: 2 });
    const { rows } = await sql`
      select attempts, error ->> 'code' as code from messages where id = ${second?.id}`.execute(database.db);
    expect(rows).toEqual([{ attempts: 1, code: '131056' }]);
    expect(await idsIn('messages')).toEqual(keys.map(({ id }) => id));
  });

  it('returns nothing once it is resumed or cancelled', async () => {
    const { key } = await queued(2);
    expect(await returnMessages(database.hot, key, 10)).toBe(0);
    await pauseIt(key);
    await beginCancel(database.db, key, 60);
    expect(await returnMessages(database.hot, key, 10)).toBe(0);
  });

  it('leaves expired messages in the queue, where they fail', async () => {
    const { key } = await queued(2);
    await pauseIt(key);
    await sql`update messages set expires_at = now()`.execute(database.db);
    expect(await returnMessages(database.hot, key, 10)).toBe(0);
  });
});

describe('feeding', () => {
  it('moves recipients in the order in which they were added, and none twice', async () => {
    const { key, keys } = await started(5);
    expect(await feedRecipients(database.hot, key, 2)).toMatchObject({ count: 2 });
    expect(await idsIn('messages')).toEqual(keys.slice(0, 2).map(({ id }) => id));
    const [one, other] = await Promise.all([
      feedRecipients(database.hot, key, 10),
      feedRecipients(database.hot, key, 10),
    ]);
    expect(one.count + other.count).toBe(3);
    expect(await idsIn('messages')).toEqual(keys.map(({ id }) => id));
    expect(await idsIn('send_recipients')).toEqual([]);
  });

  it('that is cut off before its commit leaves every recipient where it was', async () => {
    const { key, keys } = await started(3);
    const cut = database.hot.transaction().execute(async (tx) => {
      expect(await feedRecipients(tx, key, 2)).toMatchObject({ count: 2 });
      throw new Error('cut');
    });
    await expect(cut).rejects.toThrow('cut');
    expect(await idsIn('send_recipients')).toEqual(keys.map(({ id }) => id));
    expect(await idsIn('messages')).toEqual([]);
  });

  it('waits for a pause that is being committed, and then feeds nothing', async () => {
    const { key } = await started(3);
    let fed: ReturnType<typeof feedRecipients> | undefined;
    await inTx(async (tx) => {
      await lockSend(tx, key);
      await pause(tx, key);
      fed = feedRecipients(database.hot, key, 10);
      await expect(Promise.race([fed, new Promise((done) => setTimeout(done, 100, 'waits'))])).resolves.toBe(
        'waits',
      );
    });
    expect(await fed).toEqual({ count: 0, optedOut: [] });
  });

  it('stops at the end of the time to live and on cancellation, and fails what is left', async () => {
    const cancelled = await started(2);
    await beginCancel(database.db, cancelled.key, 60);
    const expired = await started(2);
    await sql`update sends set expires_at = now() where id = ${expired.key.sendId}`.execute(database.db);
    const going = await started(2);
    for (const { key } of [cancelled, expired])
      expect(await feedRecipients(database.hot, key, 10)).toMatchObject({ count: 0 });
    const ended = (key: typeof going.key) => inTx<unknown[]>((tx) => endRecipients(tx, key, 10));
    expect(await ended(cancelled.key)).toHaveLength(2);
    expect(await ended(expired.key)).toHaveLength(2);
    expect(await ended(going.key)).toEqual([]);
  });

  it('has room for a number of messages of each send, and none while the number is halted', async () => {
    const [one, other] = [await started(5), await started(5)];
    await feedRecipients(database.hot, one.key, 4);
    expect((await findRoom(database.hot, one.key, 6)).room).toBe(2);
    expect((await findRoom(database.hot, other.key, 6)).room).toBe(6);
    expect((await findRoom(database.hot, one.key, 3)).room).toBe(0);
    await sql`update senders set halted_at = now() where id = ${senderId}`.execute(database.db);
    expect((await findRoom(database.hot, other.key, 6)).room).toBe(0);
    await sql`update senders set halted_at = null where id = ${senderId}`.execute(database.db);
    await sql`update templates set status = 'submitted' where id = ${templateId}`.execute(database.db);
    expect((await findRoom(database.hot, other.key, 6)).room).toBe(0);
    await sql`update templates set status = 'approved' where id = ${templateId}`.execute(database.db);
  });
});

describe('a send whose template changed after its recipients were checked', () => {
  const change = () =>
    sql`update templates set components_changed_at = date_trunc('milliseconds', clock_timestamp()), recheck_since = now()
      where id = ${templateId}`.execute(database.db);
  afterEach(async () => {
    await sql`update templates set components_changed_at = null, recheck_since = null,
      components = '[]'`.execute(database.db);
  });
  const done = () =>
    sql`update templates set recheck_since = null where id = ${templateId}`.execute(database.db);
  const template = async () => (await findTemplate(database.db, accountId, templateId)) as TemplateRow;

  it('is fed only after a check against the template as it is', async () => {
    const { key, keys } = await started(3);
    const before = await template();
    expect(await findRoom(database.hot, key, 10)).toMatchObject({ fits: true });
    await change();
    await done();
    expect(await findRoom(database.hot, key, 10)).toMatchObject({ room: 10, fits: false });
    expect(await feedRecipients(database.hot, key, 10)).toBe(0);
    const after = await template();
    await inTx(async (tx) => {
      expect(await lockPortion(tx, key, before, 10)).toEqual([]);
      const portion = await lockPortion(tx, key, after, 2);
      expect(portion.map(({ id }) => id)).toEqual(keys.slice(0, 2).map(({ id }) => id));
      await movePortion(tx, key, portion, portion.slice(0, 1));
    });
    const { rows } = await sql`
      select id, due_at is not null as due from messages order by id`.execute(database.db);
    expect(rows).toEqual([
      { id: keys[0]?.id, due: false },
      { id: keys[1]?.id, due: true },
    ]);
    await pauseIt(key);
    await inTx(async (tx) => expect(await lockPortion(tx, key, after, 2)).toEqual([]));
  });

  it('is started by the time of its schedule only if its recipients were checked against the template as it is', async () => {
    const send = { ...newSend(1), sendAt: new Date() };
    await insertScheduledSend(database.hot, send, recipients(1), { priority: 1, expiresInSeconds: 600 });
    await change();
    await startScheduled(database.hot, { accountId, sendId: send.id });
    const { rows } = await sql`select stage, paused_reason from sends`.execute(database.db);
    expect(rows).toEqual([{ stage: 1, paused_reason: 'template_changed' }]);
  });

  it('has no message that the check of queued messages misses: the check waits for a portion that was fed before', async () => {
    await change();
    await done();
    const checked = { ...newSend(2), templateChangedAt: (await template()).components_changed_at };
    const scheduled = { ...checked, sendAt: new Date() };
    await insertScheduledSend(database.hot, scheduled, recipients(2), { priority: 1, expiresInSeconds: 600 });
    const key = { accountId, sendId: scheduled.id };
    await startScheduled(database.hot, key);
    const checkedTemplate = async () => (await inTx<TemplateRow | undefined>(lockTemplateToRecheck))?.id;
    await database.hot.transaction().execute(async (tx) => {
      expect(await feedRecipients(tx, key, 10)).toBe(2);
      await change();
      expect(await checkedTemplate()).toBeUndefined();
    });
    expect(await checkedTemplate()).toBe(templateId);
    await change();
    // the same for a new send
    const sent = newSend(1);
    const { components_changed_at: templateChangedAt } = await template();
    await database.hot.transaction().execute(async (tx) => {
      const common = { priority: 1, expiresInSeconds: 600, processId: 0 };
      expect(await insertSend(tx, { ...sent, templateChangedAt }, recipients(1), common)).toBeDefined();
      expect(await checkedTemplate()).toBeUndefined();
    });
  });

  it('has its messages checked from the id of its oldest recipient, however old it is', async () => {
    const old = newSend(1);
    old.id = uuidv7(Date.now() - 80 * 86_400_000);
    const send = { ...old, sendAt: new Date(Date.now() + 60_000) };
    await insertScheduledSend(database.hot, send, recipients(1), { priority: 1, expiresInSeconds: 600 });
    const oldest = () => inTx<string | undefined>((tx) => oldestOpenSend(tx, { accountId, templateId }));
    expect(await oldest()).toBe(old.id);
    await sql`update sends set send_at = now()`.execute(database.db);
    await startScheduled(database.hot, { accountId, sendId: old.id });
    await feedRecipients(database.hot, { accountId, sendId: old.id }, 10);
    await sql`update messages set id = ${uuidv7(Date.now() - 79 * 86_400_000)}`.execute(database.db);
    await change();
    const components = JSON.stringify([{ type: 'BODY', text: 'Hi {{1}}.' }]);
    await sql`update templates set components = ${components}::jsonb where id = ${templateId}`.execute(
      database.db,
    );
    const deliveries = { processId: 0, offer: () => undefined, busyEndpoints: () => [] };
    const deps = { hot: database.hot, clock: systemClock, completions: openCompletionWaiters(), deliveries };
    expect(await recheckMessages(deps)).toBe(2);
    const { rows } = await sql`select error ->> 'code' as code from messages`.execute(database.db);
    expect(rows).toEqual([{ code: '900007' }]);
    await sql`update sends set is_open = false`.execute(database.db);
    expect(await oldest()).toBeUndefined();
  });
});

describe('a feed', () => {
  it('ends when nothing waits, is queued or is being dispatched, and not before', async () => {
    const { key, keys } = await started(1);
    const feed = await leased();
    expect(await endFeed(database.hot, feed)).toBe(false);
    await feedRecipients(database.hot, key, 10);
    expect(await endFeed(database.hot, feed)).toBe(false);
    await beginNow(database, keys);
    expect(await endFeed(database.hot, feed)).toBe(false);
    await sql`update messages set state = 2, due_at = null`.execute(database.db);
    expect(await endFeed(database.hot, feed)).toBe(true);
    const { rows } = await sql`select is_open, done_at is not null as done from sends`.execute(database.db);
    expect(rows).toEqual([{ is_open: false, done: true }]);
    expect(await claimFeed(database.db, 30)).toBeUndefined();
  });

  it('is leased once, and a request that makes it due again wins over the delay of a turn that began before', async () => {
    const { key } = await started(1);
    const feed = await leased();
    expect(await claimFeed(database.db, 30)).toBeUndefined();
    await pauseIt(key);
    await delayFeed(database.db, feed, { seconds: 3_600 });
    expect(await claimFeed(database.db, 30)).toMatchObject(key);
  });

  it('does not start a send before its time, nor one that is paused', async () => {
    const send = { ...newSend(1), sendAt: new Date(Date.now() + 60_000) };
    const key = { accountId, sendId: send.id };
    await insertScheduledSend(database.hot, send, recipients(1), { priority: 1, expiresInSeconds: 600 });
    await startScheduled(database.hot, key);
    expect(await feedRecipients(database.hot, key, 10)).toMatchObject({ count: 0 });
    await pauseIt(key);
    await sql`update sends set send_at = now()`.execute(database.db);
    await startScheduled(database.hot, key);
    const { rows } = await sql`select stage from sends`.execute(database.db);
    expect(rows).toEqual([{ stage: 1 }]);
  });
});

describe('the plans of the steps, on an empty database and on one with rows', () => {
  const key = { accountId, sendId: uuidv7() };
  const feed = { ...key, lease: '2026-01-01' };
  const statements = {
    feeding: () => planOf(database.hot, (db) => feedRecipients(db, key, 10)),
    'locking a portion': () =>
      planOf(database.hot, (db) =>
        lockPortion(db as Tx, key, { id: templateId, components_changed_at: null }, 10),
      ),
    'moving a portion': () =>
      planOf(database.hot, (db) => movePortion(db as Tx, key, [{ id: key.sendId }], [])),
    returning: () => planOf(database.hot, (db) => returnMessages(db, key, 10)),
    'ending recipients': () => planOf(database.hot, (db) => endRecipients(db, key, 10)),
    room: () => planOf(database.hot, (db) => findRoom(db, key, 10)),
    'ending feeds': () => planOf(database.hot, (db) => endFeed(db, feed)),
  };
  const byPortion = new Set(['feeding', 'locking a portion', 'moving a portion', 'ending recipients']);
  const byOrder = /Index (Only )?Scan using send_recipients_order/;
  const byDue = /Index (Only )?Scan using messages_\w+_sender_id_priority_due_at_idx/;

  const thisMonth = `messages_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
  const check = async () => {
    for (const [name, plan] of Object.entries(statements)) {
      const text = await plan();
      expect(text, name).not.toMatch(/Seq Scan on (messages|sends|send_recipients)/);
      // partitions that were analyzed while empty are analyzed again with their first rows
      const month = new RegExp(`${thisMonth}_(phone|send_id|account_id)\\w*_idx`);
      expect(text, name).not.toMatch(month);
      if (byPortion.has(name)) expect(text, name).toMatch(byOrder);
      else expect(text, name).toMatch(byDue);
    }
  };

  it('enter by key or by the order of their rows', async () => {
    await makePartitions(database.db);
    await check();
    const { key: of } = await started(3_000);
    await feedRecipients(database.hot, of, 1_500);
    await queued(1_000);
    await sql`analyze messages, sends, send_recipients, send_feeds`.execute(database.db);
    await check();
  });
});
