// Rows that sends need in a test database, and sends as the program stores them.
import { sql } from 'kysely';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openMetrics } from '../../src/base/metrics.ts';
import type { CompleteSend, NewMessage } from '../../src/messaging/sending/new-sends-store.ts';
import { openSendSteps, type SendSteps } from '../../src/messaging/sending/send-steps.ts';
import type { TestDatabase } from './database.ts';
import { insertAccount, insertSender } from './rows.ts';

export interface SendStore {
  accountId: string;
  otherAccountId: string;
  /** Adds a sender of the account; `perSecond`: its pace. */
  addSender(more?: { of?: string; haltedAt?: Date; perSecond?: number }): Promise<string>;
  addTemplate(status?: string): Promise<string>;
  addFile(): Promise<string>;
  /** A send of the account that can be stored, unless `over` prevents it. */
  send(templateId: string, over?: Partial<CompleteSend['send']>, more?: Partial<CompleteSend>): CompleteSend;
}

/** A message of a send. */
export const message = (over: Partial<NewMessage> = {}): NewMessage => ({
  id: uuidv7(),
  phone: '15550100',
  name: null,
  content: { body: [], buttons: [] },
  mediaId: null,
  metadata: null,
  dispatchMode: 'dispatching',
  ...over,
});

/** So many messages of a send, each to another number. */
export const messagesTo = (count: number, over: Partial<NewMessage> = {}): NewMessage[] =>
  Array.from({ length: count }, (_, index) => message({ phone: String(15_550_000_000 + index), ...over }));

/** The key of a send. */
export const keyed = (key: string, fingerprint = 'body') => ({
  key: { key, operation: 'send', fingerprint: Buffer.from(fingerprint), leaseSeconds: 60 },
});

/** Opens the steps of sends of a process, which remembers nothing yet. */
export const openSteps = ({ hot }: TestDatabase): SendSteps =>
  openSendSteps({ hot, clock: systemClock, processId: 7, metrics: openMetrics() });

/** Adds two accounts, each with a sender. */
export async function openSendStore({ db }: TestDatabase): Promise<SendStore> {
  const [accountId, otherAccountId] = [uuidv7(), uuidv7()];
  const senders = new Map<string, string>();

  const addSender: SendStore['addSender'] = async ({ of = accountId, haltedAt, perSecond = 1_000 } = {}) => {
    const id = await insertSender(db, of, { haltedAt });
    await sql`insert into sender_paces (sender_id, per_second, tat) values (${id}, ${perSecond}, now() - interval '1 second')`.execute(
      db,
    );
    return id;
  };
  for (const id of [accountId, otherAccountId]) {
    await insertAccount(db, id);
    senders.set(id, await addSender({ of: id }));
  }
  return {
    ...{ accountId, otherAccountId, addSender },
    async addTemplate(status = 'approved') {
      const id = uuidv7();
      await sql`insert into templates (id, account_id, business_account_id, name, language, category, status, components)
        values (${id}, ${accountId}, '2', ${id}, 'en', 'UTILITY', ${status}, '[]')`.execute(db);
      return id;
    },
    async addFile() {
      const id = uuidv7();
      await sql`insert into media (id, account_id, state, kind, mime_type, file_name, object_key, file_key, size, sha256, public_id)
        values (${id}, ${accountId}, 'ready', 'document', 'application/pdf', 'f', ${id}, '', 1, '\\x00', ${id})`.execute(
        db,
      );
      return id;
    },
    send(templateId, over = {}, more = {}) {
      const of = over.accountId ?? accountId;
      const { messages = [message()] } = more;
      const named = { templateName: 't', language: 'en', total: messages.length };
      const ids = { accountId: of, id: uuidv7(), senderId: senders.get(of) as string, templateId };
      return { send: { ...ids, ...named, ...over }, priority: 1, expiresInSeconds: 600, ...more, messages };
    },
  };
}
