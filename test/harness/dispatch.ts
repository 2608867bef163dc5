// A dispatcher with a platform that the test controls, and messages in a database for it.

import { sql } from 'kysely';
import { systemClock } from '../../src/base/clock.ts';
import { VendorError } from '../../src/base/errors.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import { openMetrics } from '../../src/base/metrics.ts';
import type { Db } from '../../src/db/db.ts';
import { type Dispatcher, openDispatcher } from '../../src/messaging/dispatch/dispatcher.ts';
import { openCompletionWaiters } from '../../src/messaging/messages/completion-waiters.ts';
import type { LeasedTemplate, LeaseKey, MessageKey } from '../../src/messaging/messages/message.ts';
import { beginDispatch } from '../../src/messaging/messages/moves-store.ts';
import type { NewMessage } from '../../src/messaging/sending/new-sends-store.ts';
import type { TestDatabase } from './database.ts';
import { insertSend } from './insert-send.ts';
import { insertAccount, insertSender, insertTemplate } from './rows.ts';
import { messagesTo, message as newMessage } from './sends-in-database.ts';

export const accountId = uuidv7();

/** Inserts a sender with that many calls a second. */
export async function sender(database: TestDatabase, perSecond = 1_000): Promise<string> {
  const id = await insertSender(database.db, await insertAccount(database.db, accountId));
  await sql`insert into sender_paces (sender_id, per_second) values (${id}, ${perSecond})`.execute(
    database.db,
  );
  return id;
}

/** A message of a sender, not stored. */
export const message = (senderId: string): LeasedTemplate => ({
  account_id: accountId,
  id: uuidv7(),
  sender_id: senderId,
  template_name: 't',
  language: 'en',
  phone: '15550100',
  user_id: null,
  content: { body: [], buttons: [] },
  media_id: null,
  priority: 1,
  attempts: 0,
  lease: null,
});

/** Inserts a send with `count` messages; returns its id and their keys. */
export async function queueSend(
  { hot }: Pick<TestDatabase, 'hot'>,
  count: number,
  { senderId, templateId, priority = 1 }: { senderId: string; templateId: string; priority?: number },
  dispatchMode: NewMessage['dispatchMode'] = 'queued',
) {
  const sendId = uuidv7();
  const messages = messagesTo(count, { dispatchMode });
  const named = { templateName: 't', language: 'en' };
  const send = { accountId, id: sendId, senderId, templateId, total: count, ...named };
  const written = await insertSend(hot, send, messages, { priority, expiresInSeconds: 600, processId: 0 });
  return { sendId, written, keys: messages.map(({ id }) => ({ accountId, id })) };
}

/** Begins the dispatch of messages under their leases. */
export async function beginNow(
  { hot }: Pick<TestDatabase, 'hot'>,
  keys: readonly MessageKey[],
): Promise<boolean[]> {
  return beginDispatch(hot, await leaseKeys(hot, keys));
}

/** The messages with their present leases. */
export async function leaseKeys(hot: Db, keys: readonly MessageKey[]): Promise<LeaseKey[]> {
  const { rows } = await sql<{ id: string; lease: string }>`
    select id, due_at::text as lease from messages where id = any(${keys.map(({ id }) => id)}::uuid[])`.execute(
    hot,
  );
  const leases = new Map(rows.map(({ id, lease }) => [id, lease]));
  return keys.map(({ accountId, id }) => ({ accountId, id, lease: leases.get(id) ?? null }));
}

/** Stores a message in its own send. A leased one gets its lease. */
export async function write(
  database: TestDatabase,
  of: LeasedTemplate,
  dispatchMode: NewMessage['dispatchMode'] = 'dispatching',
) {
  const inserted = await insertSend(
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
    [newMessage({ id: of.id, phone: of.phone, content: of.content, dispatchMode })],
    { priority: 1, expiresInSeconds: 600, processId: 0 },
  );
  if (dispatchMode === 'leased') of.lease = inserted?.lease ?? null;
  return inserted;
}

/** The row of a message. */
export async function rowOf(database: TestDatabase, { id }: LeasedTemplate) {
  const { rows } = await sql<{ state: number; attempts: number; due: boolean }>`
    select state, attempts, due_at <= now() as due from messages where id = ${id}`.execute(database.db);
  return rows[0];
}

/** Prevents later rounds from claiming it. */
export const forget = (database: TestDatabase, { id }: LeasedTemplate) =>
  sql`delete from messages where id = ${id}`.execute(database.db);

/**
 * A dispatcher whose platform responds after `release`, and the ids of the messages that it was called for. `accessReady`: what a
 * sender's access has beside its id; null if the sender was removed.
 */
export function open(
  database: TestDatabase,
  hot: Db = database.hot,
  rejects = false,
  clock = systemClock,
  accessReady: () => Promise<unknown> = async () => undefined,
): { dispatcher: Dispatcher; called: string[]; release: () => void } {
  const called: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const dispatcher = openDispatcher({
    metrics: openMetrics(),
    publicUrl: () => 'http://127.0.0.1:1',
    db: database.db,
    hot,
    processId: 0,
    clock,
    log: openLog('silent'),
    platform: {
      classify: () => 'retry',
      isTemporary: () => false,
      sendReply: async () => {
        throw new VendorError('rejected', 'no replies', { code: 1 });
      },
      sendTemplate: async (access, { correlationId }) => {
        if (!access) throw new TypeError('a call without access');
        called.push(correlationId);
        await released;
        if (rejects) throw new VendorError('rejected', 'later', { code: 1 });
        return { messageRef: `wamid.${correlationId}`, held: false };
      },
    },
    accessOf: async (senderId) => {
      const access = await accessReady();
      return (access === null ? undefined : { senderId, ...(access as object | undefined) }) as never;
    },
    freshAccessOf: async (senderId) => ({ senderId }) as never,
    registeredMedia: async () => {
      throw new VendorError('not_sent', 'no file');
    },
    forgetMedia: async () => false,
    templateOutdated: async () => undefined,
    recipientOptedOut: async () => undefined,
    templateRejected: async () => undefined,
    categoryLimited: async () => undefined,
    linkRecipient: async () => undefined,
    onOutcome: () => undefined,
    completions: openCompletionWaiters(),
    deliveries: { processId: 0, offer: () => undefined, busyEndpoints: () => [] },
  });
  return { dispatcher, called, release };
}
