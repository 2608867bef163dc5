// Leases of sends whose process died: who continues with a feed or a draft, and when.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/db.ts';
import { feedSends } from '../../src/messaging/campaigns/feed.ts';
import { claimFeed, delayFeed, feedRecipients } from '../../src/messaging/campaigns/feeds-store.ts';
import { leaseSeconds, withRecipientsLease } from '../../src/messaging/campaigns/lease.ts';
import { endLease, removeRecipients, takeLease } from '../../src/messaging/campaigns/recipients-store.ts';
import { pause, resume, schedule, startNow } from '../../src/messaging/campaigns/transitions-store.ts';
import { beginCancel } from '../../src/messaging/dispatch/cancel-store.ts';
import type { SendKey } from '../../src/messaging/messages/sends-store.ts';
import { type KeptSends, openKeptSends } from '../harness/kept-sends.ts';

let sends: KeptSends;
let database: KeptSends['database'];
beforeAll(async () => {
  sends = await openKeptSends();
  ({ database } = sends);
});
afterAll(() => database?.drop());
beforeEach(() => sends.clear());

const feedLeaseSeconds = 30;
const claim = () => claimFeed(database.db, { leaseSeconds: feedLeaseSeconds, processId: 1 });

/** Time passes for the leases of feeds and drafts. */
async function pass(seconds: number): Promise<void> {
  const by = sql`${seconds}::int * interval '1 second'`;
  await sql`update send_feeds set due_at = due_at - ${by}`.execute(database.db);
  await sql`update sends set upload_until = upload_until - ${by}`.execute(database.db);
}

/** A started send whose feed a process has leased, which then died. */
async function abandoned(count: number) {
  const { key, keys } = await sends.started(count);
  await sql`update send_feeds set due_at = now()`.execute(database.db);
  const feed = await claim();
  if (!feed) throw new Error('no feed is due');
  return { key, keys, feed };
}

describe('a feed whose process died in its turn', () => {
  it('is continued by another process when its lease expires, and what a late turn says of it counts no more', async () => {
    const { key, keys, feed } = await abandoned(3);
    await feedRecipients(database.hot, key, 1);
    const deps = {
      ...{ db: database.db, hot: database.hot, clock: systemClock, nudgeDispatch() {}, processId: 2 },
      completions: {} as never,
      deliveries: { offer() {}, busyEndpoints: () => [], processId: 2 },
    };
    await pass(feedLeaseSeconds - 1);
    expect(await feedSends(deps)).toBe(0);
    await pass(1);
    expect(await feedSends(deps)).toBe(1);
    const { rows } = await sql<{ id: string }>`select id from messages order by id`.execute(database.db);
    expect(rows.map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
    await delayFeed(database.db, feed, { seconds: 3_600 });
    await pass(1);
    expect(await claim()).toMatchObject(key);
  });

  it.each<[string, (tx: Tx, key: SendKey) => Promise<unknown>]>([
    ['start', startNow],
    ['pause', pause],
    ['resume', resume],
    ['schedule', schedule],
    ['cancel', (tx, key) => beginCancel(tx, key, 60)],
  ])('is due at once after a request to %s the send', async (_, act) => {
    const { key } = await abandoned(1);
    await sql`update sends set send_at = now() + interval '1 hour'`.execute(database.db);
    expect(await claim()).toBeUndefined();
    await sends.inTx((tx) => act(tx, key));
    expect(await claim()).toMatchObject(key);
  });
});

describe('a draft whose process died in an upload', () => {
  it('is free after two minutes if nobody released it, and the dead process changes nothing any more', async () => {
    const { key } = await sends.started(2);
    await sql`update sends set stage = 0, started_at = null`.execute(database.db);
    const died = uuidv7();
    await sends.inTx((tx) => takeLease(tx, key, { leaseId: died, processId: 1, seconds: leaseSeconds }));
    const use = (work: () => Promise<unknown>) => {
      const states = ['draft'] as const;
      return withRecipientsLease(
        { db: database.db, clock: systemClock, processId: 2 },
        key,
        { states, participle: 'changed' },
        work,
      );
    };
    await pass(leaseSeconds - 2);
    await expect(use(async () => undefined)).rejects.toMatchObject({ code: 'upload_in_progress' });
    await pass(2);
    await use(async () => {
      expect(await removeRecipients(database.db, key, died, 10)).toBe(0);
      await endLease(database.db, key, died);
      await expect(use(async () => undefined)).rejects.toMatchObject({ code: 'upload_in_progress' });
    });
    await use(async () => undefined);
  });
});
