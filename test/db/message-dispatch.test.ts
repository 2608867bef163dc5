// Dispatching messages: one call per message, also when the response of a commit is lost.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { openDb, type Tx } from '../../src/db/db.ts';
import { claimDue } from '../../src/messaging/dispatch/claims-store.ts';
import type { StoredCalls } from '../../src/messaging/dispatch/prepared-message.ts';
import { foldReports, type MessageKey, ownErrors, state } from '../../src/messaging/messages/message.ts';
import {
  applyMoves,
  failMessages,
  recordRetry,
  revertDispatch,
} from '../../src/messaging/messages/moves-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { accountId, beginNow, forget, message, open, rowOf, sender, write } from '../harness/dispatch.ts';
import { openPostgresProxy } from '../harness/postgres-proxy.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const now = (over: Partial<StoredCalls> = {}): StoredCalls => ({
  ...{ begunAtMs: systemClock.steady(), firstInMs: 0, files: new Map() },
  ...over,
});

describe('a message stored as dispatching', () => {
  it('is called once, right after it is stored, and recorded as accepted', async () => {
    const { dispatcher, called, release } = open(database);
    release();
    const one = message(await sender(database));
    expect(await dispatcher.reserveCalls(one.sender_id, 1)).toBe(1);
    await write(database, one);
    expect(await rowOf(database, one)).toEqual({ state: 1, attempts: 1, due: false });
    dispatcher.callReserved([one], now());
    await expect.poll(async () => (await rowOf(database, one))?.state).toBe(2);
    await dispatcher.round();
    await dispatcher.stop();
    expect(called).toEqual([one.id]);
  });

  it('is called when its slot comes', async () => {
    const slept: { ms: number; wake: () => void }[] = [];
    const sleep = (ms: number) => new Promise<void>((wake) => slept.push({ ms, wake }));
    const { dispatcher, called, release } = open(database, database.hot, false, { ...systemClock, sleep });
    release();
    const one = message(await sender(database));
    expect(await dispatcher.reserveCalls(one.sender_id, 1)).toBe(1);
    await write(database, one);
    dispatcher.callReserved([one], now({ firstInMs: 7 }));
    expect(slept).toMatchObject([{ ms: 7 }]);
    expect(called).toEqual([]);
    // a stop waits for the call
    const stopped = dispatcher.stop();
    slept[0]?.wake();
    await stopped;
    expect(called).toEqual([one.id]);
    expect((await rowOf(database, one))?.state).toBe(2);
  });

  it('returns to the queue uncalled if the machine was suspended since it was stored', async () => {
    let sleptMs = 0;
    const clock = { ...systemClock, steady: () => systemClock.steady() + sleptMs };
    const { dispatcher, called, release } = open(database, database.hot, false, clock);
    release();
    const one = message(await sender(database));
    expect(await dispatcher.reserveCalls(one.sender_id, 1)).toBe(1);
    const markedAtMs = clock.steady();
    const written = await write(database, one);
    sleptMs = 20 * 60_000;
    dispatcher.callReserved([{ ...one, lease: written?.lease ?? null }], now({ begunAtMs: markedAtMs }));
    await expect.poll(() => rowOf(database, one)).toEqual({ state: 0, attempts: 0, due: true });
    await dispatcher.stop();
    expect(called).toEqual([]);
    await forget(database, one);
  });

  it('returns to the queue and is called once if the response of its insert was lost', async () => {
    const { dispatcher, called, release } = open(database);
    release();
    const [there, missing] = [message(await sender(database)), message(await sender(database))];
    for (const one of [there, missing]) expect(await dispatcher.reserveCalls(one.sender_id, 1)).toBe(1);
    await write(database, there);
    dispatcher.abandonReserved([there]);
    dispatcher.abandonReserved([missing]);
    await expect.poll(() => rowOf(database, there)).toEqual({ state: 0, attempts: 1, due: true });
    expect(called).toEqual([]);
    await dispatcher.round();
    await expect.poll(async () => (await rowOf(database, there))?.state).toBe(2);
    await dispatcher.stop();
    expect(called).toEqual([there.id]);
    expect(await rowOf(database, missing)).toBeUndefined();
  });

  it('stays dispatching when its first dispatch is reverted again after another process began a new one', async () => {
    const one = message(await sender(database));
    const key = { accountId, id: one.id, lease: null };
    await write(database, one);
    await revertDispatch(database.hot, [key]);
    expect(await beginNow(database, [key])).toEqual([true]);
    await revertDispatch(database.hot, [key]);
    expect(await rowOf(database, one)).toMatchObject({ state: 1, attempts: 2 });
  });

  it('stays dispatching when it is reverted after it got no slot, and another dispatch was its first', async () => {
    const senderId = await sender(database, 1);
    const [first, one] = [message(senderId), message(senderId)];
    for (const each of [first, one]) await write(database, each);
    expect(await rowOf(database, one)).toEqual({ state: 0, attempts: 0, due: false });
    await sql`update messages set due_at = now() where id = ${one.id}`.execute(database.db);
    const { claimed } = await claimDue(database.hot, 10, [], 0);
    expect(claimed.map(({ id }) => id)).toEqual([one.id]);
    expect(await beginNow(database, [{ accountId, id: one.id }])).toEqual([true]);
    await revertDispatch(
      database.hot,
      [first, one].map(({ id }) => ({ accountId, id, lease: null })),
    );
    expect(await rowOf(database, first)).toMatchObject({ state: 0, attempts: 1 });
    expect(await rowOf(database, one)).toMatchObject({ state: 1, attempts: 1 });
    for (const each of [first, one]) await forget(database, each);
  });
});

describe('reserving calls', () => {
  it('reserves a few at a time; stopping ends immediately once they are released', async () => {
    const { dispatcher, release } = open(database);
    const fast = await sender(database);
    expect(await dispatcher.reserveCalls(fast, 11)).toBe(0);
    expect(await dispatcher.reserveCalls(fast, 10)).toBe(10);
    dispatcher.abandonReserved(Array.from({ length: 10 }, () => message(fast)));
    release();
    // no call is in flight any more, so this ends immediately
    await dispatcher.stop();
  });

  it('reserves none while messages are queued, even if pace and connections are free', async () => {
    let continueDispatch = () => {};
    let waits: Promise<void> | undefined = new Promise((resolve) => {
      continueDispatch = resolve;
    });
    const { dispatcher, called, release } = open(database, database.hot, false, systemClock, async () => {
      const first = waits;
      waits = undefined;
      await first;
    });
    release();
    const fast = await sender(database);
    const one = message(fast);
    await write(database, one, 'leased');
    dispatcher.offer([one]);
    // the message waits for its sender's access
    await expect.poll(() => waits === undefined).toBe(true);
    expect(await dispatcher.reserveCalls(fast, 1)).toBe(0);
    continueDispatch();
    await expect.poll(() => called).toEqual([one.id]);
    expect(await dispatcher.reserveCalls(fast, 1)).toBe(1);
    dispatcher.releaseCalls(fast, 1);
    await dispatcher.stop();
    expect(await dispatcher.reserveCalls(fast, 1)).toBe(0);
  });
});

it('a message is released uncalled if its dispatch has not begun 25 seconds after its lease', async () => {
  let heldUpMs = 0;
  const clock = { ...systemClock, steady: () => systemClock.steady() + heldUpMs };
  const { dispatcher, called, release } = open(database, database.hot, false, clock, async () => {
    heldUpMs += 26_000;
  });
  release();
  const one = message(await sender(database));
  await write(database, one, 'leased');
  expect(await rowOf(database, one)).toMatchObject({ due: false });
  dispatcher.offer([one]);
  await expect.poll(() => rowOf(database, one)).toEqual({ state: 0, attempts: 0, due: true });
  await dispatcher.stop();
  expect(called).toEqual([]);
  await forget(database, one);
});

it('a message returns to the queue uncalled if the machine was suspended while its dispatch began', async () => {
  let sleptMs = 0;
  const proxy = await openPostgresProxy(database.connection, (statement) => {
    if (/beginDispatch/.test(statement)) sleptMs = 20 * 60_000;
    return false;
  });
  const hot = openDb(
    { connectionString: proxy.url },
    { maxConnections: 4, applicationName: 'proxy', hot: true },
  );
  const clock = { ...systemClock, steady: () => systemClock.steady() + sleptMs };
  const { dispatcher, called, release } = open(database, hot, false, clock);
  release();
  const one = message(await sender(database));
  await write(database, one, 'queued');
  await dispatcher.round();
  await expect.poll(() => rowOf(database, one)).toEqual({ state: 0, attempts: 0, due: true });
  expect(called).toEqual([]);
  await dispatcher.stop();
  await forget(database, one);
  await hot.destroy();
  await proxy.close();
});

describe('a dispatch whose response was lost', () => {
  it('is reverted: the message returns to the queue and is called once', async () => {
    let losses = 1;
    const proxy = await openPostgresProxy(database.connection, (statement) =>
      /beginDispatch/.test(statement) && losses-- > 0 ? 'lost' : false,
    );
    const hot = openDb(
      { connectionString: proxy.url },
      { maxConnections: 4, applicationName: 'proxy', hot: true },
    );
    const { dispatcher, called, release } = open(database, hot);
    release();
    const one = message(await sender(database));
    await write(database, one, 'queued');
    await dispatcher.round();
    await expect.poll(() => rowOf(database, one)).toEqual({ state: 0, attempts: 1, due: true });
    expect(called).toEqual([]);
    await dispatcher.round();
    await expect.poll(async () => (await rowOf(database, one))?.state).toBe(2);
    await dispatcher.stop();
    expect(called).toEqual([one.id]);
    await hot.destroy();
    await proxy.close();
  });
});

describe('the result of a call', () => {
  it.each([
    ['accepted', /recordAccepted/, 2],
    ['rejected for now', /recordRetry/, 0],
  ])('is recorded although the connection was lost just before: %s', async (_what, statement, state) => {
    let losses = 1;
    const proxy = await openPostgresProxy(database.connection, (text) =>
      statement.test(text) && losses-- > 0 ? 'cut' : false,
    );
    const hot = openDb(
      { connectionString: proxy.url },
      { maxConnections: 4, applicationName: 'proxy', hot: true },
    );
    const { dispatcher, called, release } = open(database, hot, state === 0);
    release();
    const one = message(await sender(database));
    await write(database, one, 'queued');
    await dispatcher.round();
    await expect
      .poll(async () => losses < 1 && (await rowOf(database, one)))
      .toMatchObject({ state, attempts: 1 });
    await dispatcher.stop();
    expect(called).toEqual([one.id]);
    await hot.destroy();
    await proxy.close();
  });
});

describe('a message whose delivery was reported during its call', () => {
  const report = { phoneNumberId: '1', messageRef: 'w', correlationId: null, timestamp: 1 };
  const delivered = {
    ...report,
    status: 'delivered' as const,
    priceCategory: null,
    billable: null,
    error: null,
  };
  const inTransaction = (act: (tx: Tx) => Promise<unknown>) => database.hot.transaction().execute(act);

  it.each<[string, (key: MessageKey) => Promise<unknown>]>([
    [
      'a retry',
      (key) =>
        recordRetry(database.hot, [
          { ...key, delaySeconds: 0, error: null, countsAttempt: true, lease: null },
        ]),
    ],
    [
      'a failure',
      (key) =>
        inTransaction((tx) =>
          failMessages(tx, [{ ...key, error: ownErrors.cancelled }], [state.queued, state.dispatching]),
        ),
    ],
    ['a revert of its dispatch', (key) => revertDispatch(database.hot, [{ ...key, lease: null }])],
  ])('keeps its state after %s', async (_what, act) => {
    const one = message(await sender(database));
    await write(database, one);
    await inTransaction((tx) => applyMoves(tx, [foldReports(accountId, one.id, [delivered])]));
    await act({ accountId, id: one.id });
    expect(await rowOf(database, one)).toMatchObject({ state: state.delivered, attempts: 1 });
  });
});
