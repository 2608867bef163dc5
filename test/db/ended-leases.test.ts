// What ended processes had leased of sends and idempotency keys: released by the end of their session, long before the leases expire.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { insertKey, recordKeyResponse } from '../../src/db/idempotency-keys.ts';
import { openProcessSession, type ProcessSession } from '../../src/db/process-session.ts';
import { thisProgram } from '../../src/db/programs.ts';
import { lookUpKey } from '../../src/http/idempotency.ts';
import { claimFeed, delayFeed, type Feed } from '../../src/messaging/campaigns/feeds-store.ts';
import { withRecipientsLease } from '../../src/messaging/campaigns/lease.ts';
import {
  addRecipients,
  endLease,
  removeRecipients,
  renewLease,
  replaceContents,
  takeLease,
} from '../../src/messaging/campaigns/recipients-store.ts';
import { releaseSendsOf } from '../../src/messaging/campaigns/release-leases.ts';
import { pause } from '../../src/messaging/campaigns/transitions-store.ts';
import type { SendKey } from '../../src/messaging/messages/sends-store.ts';
import { releaseLeasesOfEnded } from '../../src/work/ended-processes.ts';
import { accountId } from '../harness/dispatch.ts';
import { type KeptSends, openKeptSends, recipients } from '../harness/kept-sends.ts';
import { until } from '../harness/until.ts';

let sends: KeptSends;
let database: KeptSends['database'];
const sessions: ProcessSession[] = [];
beforeAll(async () => {
  sends = await openKeptSends();
  ({ database } = sends);
});
afterAll(() => database?.drop());
beforeEach(() => sends.clear());
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await sql`delete from processes`.execute(database.db);
});

const silent = { warn() {} } as never;
const release = () => releaseLeasesOfEnded({ hot: database.hot, log: silent }, [releaseSendsOf]);

async function openProcess(): Promise<ProcessSession> {
  const program = await thisProgram('1.0.0');
  const session = await openProcessSession({ connection: database.connection, program, log: silent });
  sessions.push(session);
  return session;
}

/** Ends the session of a process and waits until others know; returns how many leases they released. */
async function end(process: ProcessSession): Promise<number> {
  await process.close();
  let released = 0;
  await until(async () => {
    released += await release();
    const { rows } =
      await sql`select from processes where id = ${process.id} and ended_at is not null`.execute(database.db);
    expect(rows).toHaveLength(1);
  });
  return released;
}

describe('the feed of a send', () => {
  const claim = (process: ProcessSession) =>
    claimFeed(database.db, { leaseSeconds: 30, processId: process.id });

  async function leasedBy(process: ProcessSession): Promise<Feed> {
    await sends.started(1);
    await sql`update send_feeds set due_at = now() where leased_by is null`.execute(database.db);
    const feed = await claim(process);
    if (!feed) throw new Error('no feed is due');
    return feed;
  }

  it('is free as soon as the session of its process has ended, and a late turn of that process delays nothing', async () => {
    const [died, other] = [await openProcess(), await openProcess()];
    const feed = await leasedBy(died);
    expect(await release()).toBe(0);
    expect(await claim(other)).toBeUndefined();
    expect(await end(died)).toBe(1);
    await delayFeed(database.db, feed, { seconds: 3_600 });
    expect(await claim(other)).toMatchObject({ sendId: feed.sendId });
  });

  it('stays leased when another process ends', async () => {
    const [process, died] = [await openProcess(), await openProcess()];
    await leasedBy(process);
    expect(await end(died)).toBe(0);
    expect(await claim(process)).toBeUndefined();
  });

  it('that a process delayed, or a request made due, is no lease of the process', async () => {
    const [died, other] = [await openProcess(), await openProcess()];
    const delayed = await leasedBy(died);
    await delayFeed(database.db, delayed, { seconds: 3_600 });
    const { key } = await sends.started(1);
    await sql`update send_feeds set due_at = now() where send_id = ${key.sendId}`.execute(database.db);
    expect(await claim(died)).toMatchObject(key);
    await sends.inTx((tx) => pause(tx, key));
    // by a version that does not name its process
    await sql`update send_feeds set due_at = now() + interval '20 seconds' where send_id = ${key.sendId}`.execute(
      database.db,
    );
    expect(await end(died)).toBe(0);
    expect(await claim(other)).toBeUndefined();
  });
});

describe('the recipients of a draft', () => {
  const leaseOf = (process: ProcessSession, leaseId = uuidv7()) => ({
    ...{ leaseId, processId: process.id, seconds: 120 },
  });
  const use = (process: ProcessSession, key: SendKey, work: () => Promise<unknown>) =>
    withRecipientsLease(
      { db: database.db, clock: systemClock, processId: process.id },
      key,
      { states: ['draft'], participle: 'changed' },
      work,
    );

  async function draft() {
    const { key, keys } = await sends.started(2);
    await sql`update sends set stage = 0, started_at = null where id = ${key.sendId}`.execute(database.db);
    return { key, keys };
  }

  /** A draft whose recipients `process` is changing. */
  async function leasedBy(process: ProcessSession) {
    const { key, keys } = await draft();
    const lease = leaseOf(process);
    await sends.inTx((tx) => takeLease(tx, key, lease));
    return { key, keys, lease };
  }

  it('are free as soon as the session of their process has ended, and what it still writes changes nothing', async () => {
    const [died, other] = [await openProcess(), await openProcess()];
    const { key, keys, lease } = await leasedBy(died);
    expect(await release()).toBe(0);
    await expect(use(other, key, async () => undefined)).rejects.toMatchObject({
      code: 'upload_in_progress',
    });
    expect(await end(died)).toBe(1);
    await use(other, key, async () => {
      expect(await removeRecipients(database.db, key, lease.leaseId, 10)).toBe(0);
      const added = sends.inTx((tx) => addRecipients(tx, key, lease.leaseId, recipients(1)));
      expect(await added).toBeUndefined();
      const content = { body: [{ text: 'late' }], buttons: [] } as never;
      const contents = keys.map(({ id }) => ({ id, content }));
      expect(await replaceContents(database.db, key, lease.leaseId, contents)).toBe(false);
      await renewLease(database.db, key, lease);
      await endLease(database.db, key, lease.leaseId);
      await expect(use(died, key, async () => undefined)).rejects.toMatchObject({
        code: 'upload_in_progress',
      });
    });
    const { rows } = await sql`select from send_recipients where content::text like '%late%'`.execute(
      database.db,
    );
    expect(rows).toEqual([]);
  });

  it('stay leased when another process ends, also one that had them before', async () => {
    const [before, process] = [await openProcess(), await openProcess()];
    const { key } = await draft();
    await use(before, key, async () => undefined);
    await use(process, key, async () => {
      expect(await end(before)).toBe(0);
      await expect(use(process, key, async () => undefined)).rejects.toMatchObject({
        code: 'upload_in_progress',
      });
    });
    expect(await end(process)).toBe(0);
  });

  it('are leased again by the next renewal of a process that had only lost its session, and released when it ends', async () => {
    const process = await openProcess();
    const { key, lease } = await leasedBy(process);
    expect(await sends.inTx((tx) => releaseSendsOf(tx, [process.id]))).toBe(1);
    await renewLease(database.db, key, lease);
    const taken = use(process, key, async () => undefined);
    await expect(taken).rejects.toMatchObject({ code: 'upload_in_progress' });
    expect(await end(process)).toBe(1);
    await use(process, key, async () => undefined);
  });
});

describe('an idempotency key', () => {
  const of = () => ({ ...{ accountId, operation: 'send', key: randomUUID() }, subjectId: uuidv7() });
  type Key = ReturnType<typeof of>;
  const insert = (key: Key, processId: number | undefined) =>
    sends.inTx((tx) => insertKey(tx, { ...key, fingerprint: Buffer.alloc(33), leaseSeconds: 45, processId }));
  const repeat = (key: Key, process: ProcessSession) =>
    lookUpKey(database.db, {
      ...key,
      isSameBody: () => true,
      leaseSeconds: 45,
      processId: process.id,
    }).catch(({ code }) => code);
  const inProgress = 'idempotency_in_progress';

  it('of a request in progress is continued once, as soon as the session of its process has ended', async () => {
    const [died, other, third] = [await openProcess(), await openProcess(), await openProcess()];
    const key = of();
    await insert(key, died.id);
    expect(await repeat(key, other)).toBe(inProgress);
    await end(died);
    const both = await Promise.all([repeat(key, other), repeat(key, third)]);
    expect(both).toContainEqual({ kind: 'continue', subjectId: key.subjectId, answeredBy: null });
    expect(both).toContain(inProgress);
    expect(await repeat(key, other)).toBe(inProgress);
    // as long as the process lives that took it over
    await Promise.all([end(other), end(third)]);
    expect(await repeat(key, await openProcess())).toMatchObject({ kind: 'continue' });
  });

  it('is continued also when the process was forgotten, and answered with a stored response', async () => {
    const [died, other] = [await openProcess(), await openProcess()];
    const [open, answered] = [of(), of()];
    for (const key of [open, answered]) await insert(key, died.id);
    await recordKeyResponse(database.db, answered.subjectId, { status: 200, body: 'first' });
    await end(died);
    await sql`delete from processes where id = ${died.id}`.execute(database.db);
    expect(await repeat(open, other)).toMatchObject({ kind: 'continue' });
    expect(await repeat(answered, other)).toEqual({ kind: 'answered', status: 200, body: 'first' });
  });

  it('that names no process is kept until its lease expires', async () => {
    const [died, other] = [await openProcess(), await openProcess()];
    const key = of();
    await insert(key, undefined);
    await end(died);
    expect(await repeat(key, other)).toBe(inProgress);
  });

  it('that is replaced after a day names the process of the new request', async () => {
    const [died, process] = [await openProcess(), await openProcess()];
    const key = of();
    await insert(key, died.id);
    await end(died);
    await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = ${key.key}`.execute(
      database.db,
    );
    expect(await insert({ ...key, subjectId: uuidv7() }, process.id)).toBe(true);
    expect(await repeat(key, process)).toBe(inProgress);
  });
});
