// Plans of the hot statements of sending: they find rows by key, also in plans made on an empty database.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Db, Tx } from '../../src/db/db.ts';
import { makePartitions } from '../../src/db/partitions.ts';
import {
  claimDue,
  findCompletions,
  findExpired,
  findOverdue,
  releaseLeases,
} from '../../src/messaging/dispatch/claims-store.ts';
import { foldReports, ownErrors } from '../../src/messaging/messages/message.ts';
import {
  applyMoves,
  beginDispatch,
  failMessages,
  recordAccepted,
  recordRetry,
} from '../../src/messaging/messages/moves-store.ts';
import { existingMessages, findByMessageRef, listMessagesTo } from '../../src/messaging/messages/store.ts';
import { findConversation, insertReply, type NewReply } from '../../src/messaging/replies/store.ts';
import { slowPace } from '../../src/messaging/senders/paces-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';
import { reservePace } from '../harness/reserve-pace.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const key = { accountId: uuidv7(), id: uuidv7() };
const report = {
  phoneNumberId: '1',
  messageRef: 'w',
  correlationId: null,
  status: 'read' as const,
  timestamp: 1,
  priceCategory: null,
  billable: null,
  error: null,
};
const retry = { ...key, delaySeconds: 1, error: null, countsAttempt: true, lease: null };
const byKey = 'messages_default_pkey';
const byDue = 'messages_default_sender_id_priority_due_at_idx';

describe('on an empty database', () => {
  it.each<[string, (db: Db & Tx) => Promise<unknown>, string]>([
    ['beginning a dispatch', (db) => beginDispatch(db, [{ ...key, lease: '2026-01-01' }]), byKey],
    ['recording acceptances', (db) => recordAccepted(db, [{ ...key, messageRef: 'w' }]), byKey],
    ['recording retries', (db) => recordRetry(db, [retry]), byKey],
    ['failing', (db) => failMessages(db, [{ ...key, error: ownErrors.expired }], [0]), byKey],
    ['applying reports', (db) => applyMoves(db, [foldReports(key.accountId, key.id, [report])]), byKey],
    ['checking which exist', (db) => existingMessages(db, [key]), byKey],
    ['finding completions', (db) => findCompletions(db, key.accountId, [key.id], 20), byKey],
    ['releasing leases', (db) => releaseLeases(db, [{ ...key, lease: '2026-01-01' }]), byKey],
    ['claiming', (db) => claimDue(db, 10, [], 0), byDue],
    ['finding overdue messages', (db) => findOverdue(db, 10), byDue],
    ['finding expired messages', (db) => findExpired(db, 10), byDue],
    [
      'finding messages by the platform’s reference',
      (db) => findByMessageRef(db, [key.accountId], ['w']),
      'messages_default_wamid_idx',
    ],
  ])('%s finds messages by its index', async (_what, run, index) => {
    const plan = await planOf(database.hot, run);
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan on messages|messages_default_(phone|send_id|account_id)/);
    if (index === byKey) expect(plan).toMatch(/Index Cond: \(\(account_id = [^)]+\) AND \(id = /);
  });

  it.each<[string, (db: Db) => Promise<unknown>]>([
    ['reserving pace slots', (db) => reservePace(db, key.id, 10, 100)],
    ['throttling', (db) => slowPace(db, key.id, 1)],
  ])('%s finds the sender’s row by its key', async (_what, run) => {
    const plan = await planOf(database.hot, run);
    expect(plan).toContain('sender_paces_pkey');
    expect(plan).not.toContain('Seq Scan');
  });
});

describe('a reply', () => {
  const reply: NewReply = {
    ...{ accountId: key.accountId, id: key.id, senderId: key.id, identity: '1', phone: '1', userId: null },
    ...{ content: { reply: { kind: 'text', text: 'x' } }, mediaId: null, metadata: null },
    ...{ priority: 1, processId: 0, dispatchMode: 'dispatching' },
  };
  it.each<[string, (db: Db & Tx) => Promise<unknown>]>([
    ['finding its window', (db) => findConversation(db, { ...reply, senderId: undefined })],
    ['storing it', (db) => insertReply(db, reply)],
  ])('%s reads one person by key', async (_what, run) => {
    const plan = await planOf(database.hot, run);
    expect(plan).toMatch(
      /contact_identities_pkey[^\n]*\n\s*Index Cond: \(\(account_id = [^)]+\) AND \(identity = /,
    );
    expect(plan).toMatch(
      /contact_windows_pkey[^\n]*\n\s*Index Cond: \(\(account_id = [^)]+\) AND \(contact_id = /,
    );
    expect(plan).not.toContain('Seq Scan');
  });

  it('to a user id is found by its person, without an index of messages', async () => {
    const plan = await planOf(database.db, (db) =>
      listMessagesTo(db, key.accountId, { phones: [], userIds: ['US.1'], beforeId: undefined }, 20),
    );
    expect(plan).toMatch(/user_id_messages_pkey/);
  });
});

describe('after a first send', () => {
  it('claiming finds each message and send by its full key, never all of an account', async () => {
    const own = await createTestDatabase();
    try {
      await makePartitions(own.db);
      await sql`
        with s as (insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
          select ${key.accountId}, gen_random_uuid(), ${key.id}, ${key.id}, 't', 'en', 32 from generate_series(1, 2)
          returning *)
        insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, due_at, expires_at)
        select s.account_id, uuid7(), s.id, s.sender_id, s.template_id, '15550100', '{}', now(), now() from s, generate_series(1, 32)`.execute(
        own.db,
      );
      await sql`analyze messages, sends`.execute(own.db);
      const plan = await planOf(own.hot, (db) => claimDue(db, 200, [], 0));
      expect(plan).not.toMatch(/Join Filter|_send_id_idx|Bitmap/);
      const month = /messages_\d{4}_\d\d_pkey[^\n]*\n\s*Index Cond: \(\(account_id = [^)]+\) AND \(id = /;
      expect(plan).toMatch(month);
      expect(plan).toMatch(/sends_pkey[^\n]*\n\s*Index Cond: \(\(account_id = [^)]+\) AND \(id = /);
    } finally {
      await own.drop();
    }
  });
});

it('no index contains a column that every state change updates, so that updates stay heap-only', async () => {
  const { rows } = await sql<{ indexdef: string }>`
    select indexdef from pg_indexes where tablename = 'messages'`.execute(database.db);
  expect(rows.length).toBeGreaterThan(3);
  for (const { indexdef } of rows) expect(indexdef).not.toMatch(/\b(state|emitted|was|implied|read_at)\b/);
  const leading = rows.filter(({ indexdef }) => /\(account_id/.test(indexdef));
  // besides the primary key only the index of failures, which no hot statement can use
  expect(leading.map(({ indexdef }) => / WHERE .*/.exec(indexdef)?.[0] ?? '').sort()).toEqual([
    '',
    ' WHERE (failed_at IS NOT NULL)',
  ]);
});
