// The steps by which sends enter the queue and leave it: fences of pause, cancel and expiry, and nothing lost or doubled.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { lockSend, pause, resume, schedule } from '../../src/messaging/campaigns/transitions-store.ts';
import { beginCancel } from '../../src/messaging/dispatch/cancel-store.ts';
import { claimDue } from '../../src/messaging/dispatch/claims-store.ts';
import { recordRetry } from '../../src/messaging/messages/moves-store.ts';
import { countQueued } from '../../src/messaging/messages/store.ts';
import { insertScheduledSend } from '../../src/messaging/sending/scheduled-store.ts';
import { measure } from '../../src/statistics/measures.ts';
import { accountId, beginNow, open } from '../harness/dispatch.ts';
import { insertSend } from '../harness/insert-send.ts';
import { type KeptSends, openKeptSends, recipients } from '../harness/kept-sends.ts';

let sends: KeptSends;
let database: KeptSends['database'];
let senderId: string;
let templateId: string;
beforeAll(async () => {
  sends = await openKeptSends();
  ({ database, senderId, templateId } = sends);
});
afterAll(() => database?.drop());
beforeEach(() => sends.clear());

const started = (count: number) => sends.started(count);
const queued = (count: number) => sends.queued(count);
const inTx: KeptSends['inTx'] = (work) => sends.inTx(work);
const pauseIt = (key: { accountId: string; sendId: string }) => inTx((tx) => pause(tx, key));
const resumeIt = (key: { accountId: string; sendId: string }) => inTx((tx) => resume(tx, key));
const idsIn = async (table: 'messages' | 'send_recipients') =>
  (await sql<{ id: string }>`select id from ${sql.table(table)} order by id`.execute(database.db)).rows.map(
    ({ id }) => id,
  );
const leased = async () => {
  await sql`update send_feeds set due_at = now()`.execute(database.db);
  const feed = await claimFeed(database.db, { leaseSeconds: 30, processId: 1 });
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

  it('is called for nothing but what was dispatching when the pause was committed', async () => {
    const { key } = await queued(40);
    await sql`update sender_paces set per_second = 10`.execute(database.db);
    const { dispatcher, called, release } = open(database);
    await dispatcher.round();
    await expect.poll(() => called.length).toBeGreaterThan(1);
    await pauseIt(key);
    const { rows } = await sql<{ id: string }>`select id from messages where state > 0`.execute(database.db);
    release();
    // the others leave this process
    await expect.poll(() => dispatcher.capacity(senderId, 1, 1)).toBe(1);
    await dispatcher.stop();
    expect(new Set(called)).toEqual(new Set(rows.map(({ id }) => id)));
    expect(called.length).toBeLessThan(40);
    await sql`update sender_paces set per_second = 1000`.execute(database.db);
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
    // each was counted when it entered the queue first
    const counts =
      await sql`select sum(amount)::int as queued from statistics_changes where measure = ${measure.queued}`.execute(
        database.db,
      );
    expect(counts.rows).toEqual([{ queued: 3 }]);
    expect(await idsIn('messages')).toEqual(keys.map(({ id }) => id));
  });

  it('returns nothing once it is resumed or cancelled', async () => {
    const { key } = await queued(2);
    expect(await returnMessages(database.hot, key, 10)).toBe(0);
    await pauseIt(key);
    await beginCancel(database.db, key, 60);
    expect(await returnMessages(database.hot, key, 10)).toBe(0);
  });

  it('that resumes at a later time begins no dispatch until then, and returns its queued messages', async () => {
    const { key, keys } = await queued(2);
    await pauseIt(key);
    await sql`update sends set send_at = now() + interval '1 hour'`.execute(database.db);
    await inTx((tx) => schedule(tx, key));
    expect(await beginNow(database, keys)).toEqual([false, false]);
    const { claimed } = await claimDue(database.hot, 10, [], 0);
    expect(claimed.map(({ paused }) => paused)).toEqual([true, true]);
    expect(await claimFeed(database.db, { leaseSeconds: 30, processId: 1 })).toMatchObject(key);
    expect(await returnMessages(database.hot, key, 10)).toBe(2);
    await sql`update sends set send_at = now(), checked_version = '-infinity'`.execute(database.db);
    await startScheduled(database.hot, key);
    expect(await feedRecipients(database.hot, key, 10)).toMatchObject({ count: 2 });
    expect(await beginNow(database, keys)).toEqual([true, true]);
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

  it('fills the limit of queued messages only with what is fed, and one-time codes go before it', async () => {
    const { key } = await started(300);
    expect(await countQueued(database.db, accountId, 1_000)).toBe(0);
    await feedRecipients(database.hot, key, 200);
    expect(await countQueued(database.db, accountId, 1_000)).toBe(200);
    const [code] = recipients(1);
    const messages = code ? [code] : [];
    await insertSend(database.hot, sends.newSend(1), messages, {
      priority: 0,
      expiresInSeconds: 600,
      processId: 0,
    });
    const { claimed } = await claimDue(database.hot, 1, [], 0);
    expect(claimed.map(({ id }) => id)).toEqual([code?.id]);
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
    expect(await fed).toEqual({ count: 0, optedOut: [], firstIds: [] });
  });

  it('stops at the end of the time to live and on cancellation, and fails what is left', async () => {
    const cancelled = await started(2);
    await beginCancel(database.db, cancelled.key, 60);
    const expired = await started(2);
    await sql`update sends set expires_at = now() where id = ${expired.key.sendId}`.execute(database.db);
    const going = await started(2);
    for (const { key } of [cancelled, expired])
      expect(await feedRecipients(database.hot, key, 10)).toMatchObject({ count: 0 });
    const ended = (key: typeof going.key) => inTx((tx) => endRecipients(tx, key, 10));
    expect(await ended(cancelled.key)).toHaveLength(2);
    expect(await ended(expired.key)).toHaveLength(2);
    expect(await ended(going.key)).toEqual([]);
  });

  it('has room for what the number sends in some seconds, without messages that are due later', async () => {
    const { key } = await started(30);
    await sql`update senders set messages_per_second = 5 where id = ${senderId}`.execute(database.db);
    const roomOf = async () => (await findRoom(database.hot, key, { messages: 20, dueSeconds: 2 })).room;
    expect(await roomOf()).toBe(10);
    await feedRecipients(database.hot, key, 8);
    expect(await roomOf()).toBe(2);
    await sql`update messages set due_at = now() + interval '1 minute' where send_id = ${key.sendId}`.execute(
      database.db,
    );
    expect(await roomOf()).toBe(10);
    await feedRecipients(database.hot, key, 10);
    expect(await roomOf()).toBe(0);
    await sql`update messages set due_at = now() + interval '1 minute' where send_id = ${key.sendId}`.execute(
      database.db,
    );
    expect(await roomOf()).toBe(2);
    await sql`update senders set messages_per_second = 80 where id = ${senderId}`.execute(database.db);
  });

  it('has room for a number of messages of each send, and none while the number is halted', async () => {
    const [one, other] = [await started(5), await started(5)];
    await feedRecipients(database.hot, one.key, 4);
    expect((await findRoom(database.hot, one.key, { messages: 6, dueSeconds: 60 })).room).toBe(2);
    expect((await findRoom(database.hot, other.key, { messages: 6, dueSeconds: 60 })).room).toBe(6);
    expect((await findRoom(database.hot, one.key, { messages: 3, dueSeconds: 60 })).room).toBe(0);
    await sql`update senders set halted_at = now() where id = ${senderId}`.execute(database.db);
    expect((await findRoom(database.hot, other.key, { messages: 6, dueSeconds: 60 })).room).toBe(0);
    await sql`update senders set halted_at = null where id = ${senderId}`.execute(database.db);
    await sql`update templates set status = 'submitted' where id = ${templateId}`.execute(database.db);
    expect((await findRoom(database.hot, other.key, { messages: 6, dueSeconds: 60 })).room).toBe(0);
    await sql`update templates set status = 'approved' where id = ${templateId}`.execute(database.db);
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
    expect(await claimFeed(database.db, { leaseSeconds: 30, processId: 1 })).toBeUndefined();
  });

  it('is leased once, and a request that makes it due again wins over the delay of a turn that began before', async () => {
    const { key } = await started(1);
    const feed = await leased();
    expect(await claimFeed(database.db, { leaseSeconds: 30, processId: 1 })).toBeUndefined();
    await pauseIt(key);
    await delayFeed(database.db, feed, { seconds: 3_600 });
    expect(await claimFeed(database.db, { leaseSeconds: 30, processId: 1 })).toMatchObject(key);
  });

  it('does not start a send before its time, nor one that is paused', async () => {
    const send = { ...sends.newSend(1), sendAt: new Date(Date.now() + 60_000) };
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
