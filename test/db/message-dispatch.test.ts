// Dispatching messages: called immediately and once, and never left unknown by a commit whose response was lost.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { VendorError } from '../../src/base/errors.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import { openDb } from '../../src/db/db.ts';
import { openCompletionWaiters } from '../../src/messaging/sending/completion-waiters.ts';
import { type Dispatcher, openDispatcher } from '../../src/messaging/sending/dispatcher.ts';
import type { LeasedMessage } from '../../src/messaging/sending/message.ts';
import { beginDispatch, revertDispatch } from '../../src/messaging/sending/messages-moves-store.ts';
import { insertSend, type NewMessage } from '../../src/messaging/sending/sends-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { openPostgresDoor } from '../harness/postgres-door.ts';
import { insertTemplate } from '../harness/templates.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const accountId = uuidv7();

/** A sender with that many calls a second. */
async function sender(perSecond = 1_000): Promise<string> {
  const id = uuidv7();
  await sql`insert into accounts (id, name) values (${accountId}, 'holds') on conflict do nothing`.execute(
    database.db,
  );
  await sql`insert into senders (id, account_id, name, phone_number_id, business_account_id, access_token, app_secret,
    verify_token, app_secret_hash) values (${id}, ${accountId}, 's', ${id}, '2', '', '', '', '')`.execute(
    database.db,
  );
  await sql`insert into sender_paces (sender_id, per_second) values (${id}, ${perSecond})`.execute(
    database.db,
  );
  return id;
}

const message = (senderId: string): LeasedMessage => ({
  account_id: accountId,
  id: uuidv7(),
  sender_id: senderId,
  template_name: 't',
  language: 'en',
  phone: '15550100',
  content: { body: [], buttons: [] },
  media_id: null,
  priority: 1,
  attempts: 0,
  lease: null,
});

const write = async (of: LeasedMessage, dispatchMode: NewMessage['dispatchMode'] = 'dispatching') =>
  insertSend(
    database.hot,
    {
      accountId,
      id: uuidv7(),
      senderId: of.sender_id,
      templateId: await insertTemplate(database.db, accountId),
      templateName: 't',
      language: 'en',
      total: 1,
    },
    [
      {
        id: of.id,
        phone: of.phone,
        name: null,
        content: of.content,
        mediaId: null,
        metadata: null,
        dispatchMode,
      },
    ],
    { priority: 1, expiresInSeconds: 600, processId: 0 },
  );

async function rowOf({ id }: LeasedMessage) {
  const { rows } = await sql<{ state: number; attempts: number; due: boolean }>`
    select state, attempts, due_at <= now() as due from messages where id = ${id}`.execute(database.db);
  return rows[0];
}

/** Keeps later rounds from claiming it. */
const forget = ({ id }: LeasedMessage) => sql`delete from messages where id = ${id}`.execute(database.db);

/** A dispatcher whose platform responds after `release`, and the ids of the messages that it was called for. */
function open(
  hot = database.hot,
  rejects = false,
  clock = systemClock,
  accessReady: () => Promise<void> = async () => undefined,
): { dispatcher: Dispatcher; called: string[]; release: () => void } {
  const called: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const dispatcher = openDispatcher({
    db: database.db,
    hot,
    processId: 0,
    clock,
    log: openLog('silent'),
    platform: {
      classify: () => 'retry',
      sendTemplate: async (_access, { correlationId }) => {
        called.push(correlationId);
        await released;
        if (rejects) throw new VendorError('refused', 'later', { code: 1 });
        return { messageRef: `wamid.${correlationId}`, held: false };
      },
    },
    accessOf: async (senderId) => {
      await accessReady();
      return { senderId } as never;
    },
    freshAccessOf: async (senderId) => ({ senderId }) as never,
    registeredMedia: async () => {
      throw new VendorError('not_sent', 'no file');
    },
    forgetMedia: async () => false,
    templateOutdated: async () => undefined,
    templateRefused: async () => undefined,
    onOutcome: () => undefined,
    completions: openCompletionWaiters(),
    deliveries: { processId: 0, offer: () => undefined, busyEndpoints: () => [] },
  });
  return { dispatcher, called, release };
}

describe('a message stored as dispatching', () => {
  it('is called once, right after it is stored, and recorded as accepted', async () => {
    const { dispatcher, called, release } = open();
    release();
    const one = message(await sender());
    expect(await dispatcher.reserveCalls(one.sender_id, 1)).toBe(1);
    await write(one);
    expect(await rowOf(one)).toEqual({ state: 1, attempts: 1, due: false });
    dispatcher.callReserved([one], systemClock.steady());
    await expect.poll(async () => (await rowOf(one))?.state).toBe(2);
    await dispatcher.round();
    await dispatcher.stop();
    expect(called).toEqual([one.id]);
  });

  it('returns to the queue uncalled if the machine was suspended since it was stored', async () => {
    let sleptMs = 0;
    const clock = { ...systemClock, steady: () => systemClock.steady() + sleptMs };
    const { dispatcher, called, release } = open(database.hot, false, clock);
    release();
    const one = message(await sender());
    expect(await dispatcher.reserveCalls(one.sender_id, 1)).toBe(1);
    const markedAtMs = clock.steady();
    const written = await write(one);
    sleptMs = 20 * 60_000;
    dispatcher.callReserved([{ ...one, lease: written?.lease ?? null }], markedAtMs);
    await expect.poll(() => rowOf(one)).toEqual({ state: 0, attempts: 0, due: true });
    await dispatcher.stop();
    expect(called).toEqual([]);
    await forget(one);
  });

  it('returns to the queue and is called once if the response of its insert was lost', async () => {
    const { dispatcher, called, release } = open();
    release();
    const [there, missing] = [message(await sender()), message(await sender())];
    for (const one of [there, missing]) expect(await dispatcher.reserveCalls(one.sender_id, 1)).toBe(1);
    await write(there);
    dispatcher.abandonReserved([there]);
    dispatcher.abandonReserved([missing]);
    await expect.poll(() => rowOf(there)).toEqual({ state: 0, attempts: 1, due: true });
    expect(called).toEqual([]);
    await dispatcher.round();
    await expect.poll(async () => (await rowOf(there))?.state).toBe(2);
    await dispatcher.stop();
    expect(called).toEqual([there.id]);
    expect(await rowOf(missing)).toBeUndefined();
  });

  it('stays dispatching when its dispatch is reverted again after somebody else began a new one', async () => {
    const one = message(await sender());
    const key = { accountId, id: one.id, lease: null };
    await write(one);
    await revertDispatch(database.hot, [key]);
    expect(await beginDispatch(database.hot, [key])).toEqual([true]);
    await revertDispatch(database.hot, [key]);
    expect(await rowOf(one)).toMatchObject({ state: 1, attempts: 2 });
  });
});

describe('reserving calls', () => {
  it('grants a few at a time within the pace, and stops immediately once they are released', async () => {
    const { dispatcher, release } = open();
    const [fast, slow] = [await sender(), await sender(1)];
    expect(await dispatcher.reserveCalls(fast, 11)).toBe(0);
    expect(await dispatcher.reserveCalls(fast, 10)).toBe(10);
    expect(await dispatcher.reserveCalls(slow, 2)).toBe(1);
    expect(await dispatcher.reserveCalls(slow, 1)).toBe(0);
    dispatcher.abandonReserved(Array.from({ length: 10 }, () => message(fast)));
    dispatcher.abandonReserved([message(slow)]);
    release();
    // no call is in flight any more, so this ends immediately
    await dispatcher.stop();
  });

  it('grants none while messages wait, although pace and connections are free', async () => {
    let continueDispatch = () => {};
    let waits: Promise<void> | undefined = new Promise((resolve) => {
      continueDispatch = resolve;
    });
    const { dispatcher, called, release } = open(database.hot, false, systemClock, async () => {
      const first = waits;
      waits = undefined;
      await first;
    });
    release();
    const fast = await sender();
    const one = message(fast);
    await write(one, 'leased');
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
  const { dispatcher, called, release } = open(database.hot, false, clock, async () => {
    heldUpMs += 26_000;
  });
  release();
  const one = message(await sender());
  await write(one, 'leased');
  expect(await rowOf(one)).toMatchObject({ due: false });
  dispatcher.offer([one]);
  await expect.poll(() => rowOf(one)).toEqual({ state: 0, attempts: 0, due: true });
  await dispatcher.stop();
  expect(called).toEqual([]);
  await forget(one);
});

it('a message returns to the queue uncalled if the machine was suspended while its dispatch began', async () => {
  let sleptMs = 0;
  const door = await openPostgresDoor(database.connection, (statement) => {
    if (/beginDispatch/.test(statement)) sleptMs = 20 * 60_000;
    return false;
  });
  const hot = openDb(
    { connectionString: door.url },
    { maxConnections: 4, applicationName: 'door', hot: true },
  );
  const clock = { ...systemClock, steady: () => systemClock.steady() + sleptMs };
  const { dispatcher, called, release } = open(hot, false, clock);
  release();
  const one = message(await sender());
  await write(one, 'queued');
  await dispatcher.round();
  await expect.poll(() => rowOf(one)).toEqual({ state: 0, attempts: 0, due: true });
  expect(called).toEqual([]);
  await dispatcher.stop();
  await forget(one);
  await hot.destroy();
  await door.close();
});

describe('a dispatch whose response was lost', () => {
  it('is reverted: the message returns to the queue and is called once', async () => {
    let losses = 1;
    const door = await openPostgresDoor(database.connection, (statement) =>
      /beginDispatch/.test(statement) && losses-- > 0 ? 'lost' : false,
    );
    const hot = openDb(
      { connectionString: door.url },
      { maxConnections: 4, applicationName: 'door', hot: true },
    );
    const { dispatcher, called, release } = open(hot);
    release();
    const one = message(await sender());
    await write(one, 'queued');
    await dispatcher.round();
    await expect.poll(() => rowOf(one)).toEqual({ state: 0, attempts: 1, due: true });
    expect(called).toEqual([]);
    await dispatcher.round();
    await expect.poll(async () => (await rowOf(one))?.state).toBe(2);
    await dispatcher.stop();
    expect(called).toEqual([one.id]);
    await hot.destroy();
    await door.close();
  });
});

describe('the result of a call', () => {
  it.each([
    ['accepted', /recordAccepted/, 2],
    ['rejected for now', /recordRetry/, 0],
  ])('is recorded although the connection was lost just before: %s', async (_what, statement, state) => {
    let losses = 1;
    const door = await openPostgresDoor(database.connection, (text) =>
      statement.test(text) && losses-- > 0 ? 'cut' : false,
    );
    const hot = openDb(
      { connectionString: door.url },
      { maxConnections: 4, applicationName: 'door', hot: true },
    );
    const { dispatcher, called, release } = open(hot, state === 0);
    release();
    const one = message(await sender());
    await write(one, 'queued');
    await dispatcher.round();
    await expect.poll(async () => losses < 1 && (await rowOf(one))).toMatchObject({ state, attempts: 1 });
    await dispatcher.stop();
    expect(called).toEqual([one.id]);
    await hot.destroy();
    await door.close();
  });
});
