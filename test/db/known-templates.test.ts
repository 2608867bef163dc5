// Sends with a template and sender that an earlier send read: stored only if both are still what it would read.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openQueueLimit } from '../../src/messaging/sending/queue-limit.ts';
import type { ResolvedTemplate } from '../../src/messaging/sending/resolve-template-store.ts';
import { type SendDeps, startWithKnown } from '../../src/messaging/sending/send.ts';
import type { SendSteps } from '../../src/messaging/sending/send-steps.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { openSendStore, openSteps, type SendStore } from '../harness/sends-in-database.ts';

let database: TestDatabase;
let store: SendStore;
let steps: SendSteps;
let templateId: string;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  store = await openSendStore(database);
  templateId = await store.addTemplate();
  steps = openSteps(database);
});

const asked = (senderId?: string) => ({ accountId: store.accountId, templateId, senderId });

/** Reads the template as a first send does. */
async function known(senderId?: string): Promise<ResolvedTemplate> {
  await steps.findTemplate(asked(senderId));
  const found = steps.knownTemplate(asked(senderId));
  if (!found) throw new Error('the template is not known');
  return found;
}

/** Stores a send with what is known; true if it was stored. */
async function storeWith({ versions, sender }: ResolvedTemplate, senderId?: string): Promise<boolean> {
  const readAs = { ...versions, namesSender: senderId !== undefined };
  const one = store.send(templateId, { senderId: sender?.id as string, readAs });
  const stored = await steps.store(one);
  const { rows } = await sql`select from sends where id = ${one.send.id}`.execute(database.db);
  expect(rows).toHaveLength(stored ? 1 : 0);
  return stored !== undefined;
}

const changes: [string, () => Promise<unknown>][] = [
  [
    'the template',
    () => sql`update templates set category = 'MARKETING' where id = ${templateId}`.execute(database.db),
  ],
  [
    'the sender',
    () =>
      sql`update senders set messages_per_second = 7 where account_id = ${store.accountId}`.execute(
        database.db,
      ),
  ],
  [
    'the opt-outs of erased people',
    () =>
      sql`insert into erased_opt_outs (account_id, hash, scope, source, acted_at)
        values (${store.accountId}, '\\x00', 1, 0, now())`.execute(database.db),
  ],
];

describe('a send with what an earlier one read', () => {
  it('is stored while nothing changed', async () => {
    const found = await known();
    expect(await storeWith(found)).toBe(true);
    expect(await storeWith(found)).toBe(true);
  });

  it.each(changes)('is not stored after a change of %s', async (_what, change) => {
    const found = await known();
    await change();
    expect(await storeWith(found)).toBe(false);
    // read again
    expect((await steps.findTemplate(asked()))?.template.id).toBe(templateId);
  });

  it('is not stored if the account has another default sender now, unless the send names its own', async () => {
    const found = await known();
    const own = found.sender?.id as string;
    const named = await known(own);
    const other = await store.addSender();
    await sql`update senders set is_default = true, business_account_id = '9' where id = ${other}`.execute(
      database.db,
    );
    // it may not send this template
    expect(await storeWith(found)).toBe(true);
    await sql`update senders set business_account_id = '2' where id = ${other}`.execute(database.db);
    expect(await storeWith(found)).toBe(false);
    expect(await storeWith(named, own)).toBe(true);
  });
});

it('a file that was removed since it was read is not sent', async () => {
  const found = await known();
  const file = await store.addFile();
  const [read] = await steps.knownFiles({ accountId: store.accountId, publicIds: [file] });
  await sql`update media set state = 'removing' where public_id = ${file}`.execute(database.db);
  expect(await steps.knownFiles({ accountId: store.accountId, publicIds: [file] })).toEqual([read]);
  const readAs = { ...found.versions, namesSender: false };
  const more = { mediaIds: [file] };
  expect(await steps.store(store.send(templateId, { readAs }, more))).toBeUndefined();
  expect(await steps.findFiles({ accountId: store.accountId, publicIds: [file] })).toEqual([]);
});

it('a send that is not stored does not count in the queue', async () => {
  await known();
  const { db, hot } = database;
  const dispatcher = { reserveCalls: async () => 0, capacity: () => 0, releaseCalls: () => undefined };
  const checkQueue = openQueueLimit({ db, clock: systemClock, queuedMax: 1 });
  const common = {
    ...{ db, hot, clock: systemClock, sendSteps: steps, dispatcher, checkQueue },
    sendWaitMs: 0,
  };
  const recipients = [{ phone: '15550100' }];
  const start = () =>
    startWithKnown(
      common as unknown as SendDeps,
      { accountId: store.accountId, templateId, recipients },
      undefined,
    );
  await changes[0]?.[1]();
  for (const _ of [1, 2]) expect(await start()).toBeUndefined();
  await expect(checkQueue(store.accountId, 1)).resolves.toBeDefined();
});

it('what no send could use is not remembered', async () => {
  for (const spoil of [
    sql`update templates set status = 'submitted' where id = ${templateId}`,
    sql`update templates set status = 'approved', business_account_id = '9' where id = ${templateId}`,
  ]) {
    await spoil.execute(database.db);
    await steps.findTemplate(asked());
    expect(steps.knownTemplate(asked())).toBeUndefined();
  }
  await sql`update templates set business_account_id = '2' where id = ${templateId}`.execute(database.db);
  await known();
  await changes[2]?.[1]();
  expect((await steps.findTemplate(asked()))?.hasErased).toBe(true);
  expect(steps.knownTemplate(asked())).toBeUndefined();
  expect(steps.knownTemplate({ ...asked(), templateId: uuidv7() })).toBeUndefined();
});
