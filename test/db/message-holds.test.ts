// Messages written as already marked: called at once, once, and never left as unknown by a commit whose answer was lost.
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

/** A number with so many calls a second. */
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

/** So that no later round meets it. */
const forget = ({ id }: LeasedMessage) => sql`delete from messages where id = ${id}`.execute(database.db);

/** A dispatcher before a platform that takes what it is given, and the ids that it was given. */
function open(
  hot = database.hot,
  refuses = false,
  clock = systemClock,
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
        if (refuses) throw new VendorError('refused', 'later', { code: 1 });
        return { messageRef: `wamid.${correlationId}`, held: false };
      },
    },
    accessOf: async (senderId) => ({ senderId }) as never,
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

describe('a message written as marked', () => {
  it('is called as soon as it is written, once, and recorded', async () => {
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

  it('is not called by a machine that slept since it wrote it, and goes back into the queue', async () => {
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

  it('goes back into the queue, and out once, if nobody knows whether it was written', async () => {
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

  it('is not put back a second time once somebody has marked it again', async () => {
    const one = message(await sender());
    const key = { accountId, id: one.id, lease: null };
    await write(one);
    await revertDispatch(database.hot, [key]);
    expect(await beginDispatch(database.hot, [key])).toEqual([true]);
    await revertDispatch(database.hot, [key]);
    expect(await rowOf(one)).toMatchObject({ state: 1, attempts: 2 });
  });
});

describe('calls are held', () => {
  it('for a few at a time, within the pace, and given back', async () => {
    const { dispatcher, release } = open();
    const [fast, slow] = [await sender(), await sender(1)];
    expect(await dispatcher.reserveCalls(fast, 11)).toBe(0);
    expect(await dispatcher.reserveCalls(fast, 10)).toBe(10);
    expect(await dispatcher.reserveCalls(slow, 2)).toBe(1);
    expect(await dispatcher.reserveCalls(slow, 1)).toBe(0);
    dispatcher.abandonReserved(Array.from({ length: 10 }, () => message(fast)));
    dispatcher.abandonReserved([message(slow)]);
    release();
    // nothing is under way any more, so that this ends at once
    await dispatcher.stop();
  });

  it('not before messages that wait', async () => {
    const { dispatcher, release } = open();
    const slow = await sender(1);
    expect(await dispatcher.reserveCalls(slow, 1)).toBe(1);
    dispatcher.offer([message(slow)]);
    expect(await dispatcher.reserveCalls(slow, 1)).toBe(0);
    dispatcher.abandonReserved([message(slow)]);
    release();
    await dispatcher.stop();
    expect(await dispatcher.reserveCalls(slow, 1)).toBe(0);
  });
});

it('a message is not called by a machine that slept while it marked it', async () => {
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

describe('a mark whose answer was lost', () => {
  it('is taken back: the message goes into the queue, and out once', async () => {
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

describe('what came of a call', () => {
  it.each([
    ['taken', /recordAccepted/, 2],
    ['refused for now', /recordRetry/, 0],
  ])('is written down although the connection ended just before: %s', async (_what, statement, state) => {
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
