// Sends with recipients that are kept apart from the queue, in a test database.
import { sql } from 'kysely';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/db.ts';
import { startScheduled } from '../../src/messaging/campaigns/feeds-store.ts';
import type { SendKey } from '../../src/messaging/messages/sends-store.ts';
import { insertScheduledSend } from '../../src/messaging/sending/scheduled-store.ts';
import { createTestDatabase } from './database.ts';
import { accountId, sender } from './dispatch.ts';
import { insertSend } from './insert-send.ts';
import { insertTemplate } from './rows.ts';
import { messagesTo } from './sends-in-database.ts';

export const recipients = (count: number) => messagesTo(count, { dispatchMode: 'queued' });

/** A database with a number and a template, and functions that store sends in it. */
export async function openKeptSends() {
  const database = await createTestDatabase();
  const senderId = await sender(database);
  const templateId = await insertTemplate(database.db, accountId);
  const newSend = (total: number) => ({
    ...{ accountId, id: uuidv7(), senderId, templateId, templateName: 't', language: 'en', total },
  });
  const stored = (send: { id: string }, messages: { id: string }[]) => ({
    key: { accountId, sendId: send.id } satisfies SendKey,
    keys: messages.map(({ id }) => ({ accountId, id })),
  });
  return {
    ...{ database, senderId, templateId, newSend },
    inTx: <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work),
    /** A started send with recipients that are kept apart. */
    async started(count: number) {
      const messages = recipients(count);
      const send = { ...newSend(count), sendAt: new Date() };
      await insertScheduledSend(database.hot, send, messages, { priority: 1, expiresInSeconds: 600 });
      await startScheduled(database.hot, { accountId, sendId: send.id });
      return stored(send, messages);
    },
    /** A plain send with queued messages. */
    async queued(count: number) {
      const messages = recipients(count);
      const send = newSend(count);
      await insertSend(database.hot, send, messages, { priority: 1, expiresInSeconds: 600, processId: 0 });
      return stored(send, messages);
    },
    /** Removes all sends. */
    clear: () =>
      sql`truncate messages, sends, send_recipients, send_feeds, send_cancellations, statistics_changes`.execute(
        database.db,
      ),
  };
}

export type KeptSends = Awaited<ReturnType<typeof openKeptSends>>;
