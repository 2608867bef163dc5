// Plans of the statements that feed, pause and check sends and that store inbound messages: they enter by key, also in plans made on an empty database.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Db, Tx } from '../../src/db/db.ts';
import { makePartitions } from '../../src/db/partitions.ts';
import { lockPortion, movePortion } from '../../src/messaging/campaigns/changed-feeds-store.ts';
import {
  claimFeed,
  delayFeed,
  endFeed,
  endRecipients,
  feedRecipients,
  findRoom,
  hasKept,
  hasQueued,
  lockQueued,
  moveBack,
  releaseFeedsOfProcesses,
  startScheduled,
} from '../../src/messaging/campaigns/feeds-store.ts';
import { releaseRecipientsOfProcesses } from '../../src/messaging/campaigns/recipients-store.ts';
import {
  insertContacts,
  lockWindows,
  openWindows,
  updateContacts,
} from '../../src/messaging/contacts/contacts-store.ts';
import { claimIdentities, findIdentities } from '../../src/messaging/contacts/identities-store.ts';
import {
  lockTemplateToRecheck,
  oldestOpenSend,
  scanMessages,
} from '../../src/messaging/dispatch/recheck-store.ts';
import { findContexts } from '../../src/messaging/received/store.ts';
import { accountId } from '../harness/dispatch.ts';
import { type KeptSends, openKeptSends } from '../harness/kept-sends.ts';
import { planOf } from '../harness/plans.ts';

let sends: KeptSends;
let database: KeptSends['database'];
beforeAll(async () => {
  sends = await openKeptSends();
  ({ database } = sends);
  await makePartitions(database.db);
});
afterAll(() => database?.drop());

const key = { accountId, sendId: uuidv7() };
const feed = { ...key, lease: '2026-01-01' };
const id = uuidv7();
const news = { accountId, id, phone: '1', userId: null, name: null, namedAtMs: 0, lastReceivedAtMs: 0 };
const ofSender = { account_id: accountId, id: key.sendId, sender_id: id };

const byOrder = /Index (Only )?Scan using send_recipients_order/;
const byDue = /Index (Only )?Scan using messages_\w+_sender_id_priority_due_at_idx/;
const byKey =
  /Index (Only )?Scan using messages_\w+_pkey[^\n]*\n\s*Index Cond: \(\(account_id = [^)]+\) AND \(id > /;

/** The statements, with the index by which each must enter. */
const statements: [string, (db: Db & Tx) => Promise<unknown>, RegExp][] = [
  ['feeding', (db) => feedRecipients(db, key, 10), byOrder],
  ['locking a portion', (db) => lockPortion(db, key, { id, components_changed_at: null }, 10), byOrder],
  ['moving a portion', (db) => movePortion(db, key, [{ id }], []), byOrder],
  ['locking messages to return', (db) => lockQueued(db, key, 10), byDue],
  ['returning', (db) => moveBack(db, [{ accountId, id }]), /Index Scan using messages_\w+_pkey/],
  ['ending recipients', (db) => endRecipients(db, key, 10), byOrder],
  ['room', (db) => findRoom(db, key, { messages: 10, dueSeconds: 60 }), byDue],
  ['ending feeds', (db) => endFeed(db, feed), byDue],
  ['looking for queued messages', (db) => hasQueued(db, ofSender), byDue],
  ['looking for recipients', (db) => hasKept(db, id), /send_recipients_(order|pkey)/],
  ['claiming a feed', claimAny, /send_feeds_due/],
  ['releasing feeds', (db) => releaseFeedsOfProcesses(db, [1]), /send_feeds_due/],
  ['releasing uploads', (db) => releaseRecipientsOfProcesses(db, [1]), /sends_open/],
  ['delaying a feed', (db) => delayFeed(db, feed, { seconds: 1 }), /send_feeds_(pkey|due)/],
  ['starting a scheduled send', (db) => startScheduled(db, key), /sends_pkey/],
  ['finding a template to check', lockTemplateToRecheck, /templates_recheck/],
  ['finding its oldest open send', (db) => oldestOpenSend(db, { accountId, templateId: id }), /sends_open/],
  ['scanning messages', (db) => scanMessages(db, { accountId, templateId: id, after: id }, 10), byKey],
  [
    'finding whom inbound messages name',
    (db) => findIdentities(db, [{ accountId, identity: '1' }]),
    /contact_identities_pkey/,
  ],
  [
    'finding what inbound messages answer',
    (db) => findContexts(db, [accountId], ['w']),
    /messages_\w+_wamid_idx/,
  ],
  ['locking windows', (db) => lockWindows(db, [{ accountId, contactId: id }]), /contact_windows_pkey/],
  ['updating contacts', (db) => updateContacts(db, [news]), /contacts_pkey/],
];
/** Inserts, which must read no table. */
const inserts: [string, (db: Db & Tx) => Promise<unknown>][] = [
  ['inserting contacts', (db) => insertContacts(db, [news])],
  ['claiming identities', (db) => claimIdentities(db, [{ accountId, identity: '1', contactId: id }])],
  ['opening windows', (db) => openWindows(db, [{ accountId, contactId: id, senderId: id, atMs: 0 }])],
];
function claimAny(db: Db): Promise<unknown> {
  return claimFeed(db, { leaseSeconds: 30, processId: 1 });
}

// partitions that were analyzed while empty are analyzed again with their first rows
const thisMonth = `messages_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
const otherIndexes = new RegExp(`${thisMonth}_(phone|send_id|account_id)\\w*_idx`);

async function check(): Promise<void> {
  for (const [name, run, index] of statements) {
    const text = await planOf(database.hot, run);
    expect(text, name).toMatch(index);
    expect(text, name).not.toMatch(/(Seq|Bitmap \w+) Scan on|Hash Join|Merge Join/);
    expect(text, name).not.toMatch(otherIndexes);
  }
  for (const [name, run] of inserts)
    expect(await planOf(database.hot, run), name).not.toMatch(/(Seq|Index\w*) Scan/);
}

describe('the statements of campaigns, of checks after a change, and of inbound messages', () => {
  it('enter by their index on an empty database, and on one with rows', async () => {
    await check();
    const { key: of } = await sends.started(3_000);
    await feedRecipients(database.hot, of, 1_500);
    await sends.queued(1_000);
    await sql`
      with c as (insert into contacts (account_id, id, phone) select ${accountId}, uuid7(), n::text from generate_series(1, 2000) n returning *)
      insert into contact_identities (account_id, identity, contact_id) select account_id, phone, id from c`.execute(
      database.db,
    );
    await sql`analyze`.execute(database.db);
    await check();
  });
});
