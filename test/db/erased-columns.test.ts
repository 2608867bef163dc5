// Every column that can hold a text: whether an erasure empties it, or why it holds nothing of a person.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Emptied, or deleted with their row. test/api/erasure.test.ts searches every table afterwards. */
const erased = {
  bookings: ['email', 'phone_number', 'phone_digits', 'name', 'answers', 'cancel_reason'],
  contact_identities: ['identity'],
  conversation_words: ['word'],
  conversations: ['words'],
  contacts: ['phone', 'user_id', 'name'],
  deliveries: ['body', 'last_answer'],
  attempts: ['answer', 'detail'],
  idempotency_keys: ['body'],
  messages: ['phone', 'user_id', 'name', 'content', 'metadata', 'error'],
  opt_outs: ['reason'],
  received_messages: [
    ...['person', 'phone', 'user_id', 'name', 'content', 'raw', 'message_ref', 'media_ref', 'context_ref'],
  ],
  send_recipients: ['phone', 'name', 'content', 'metadata', 'error'],
  user_id_messages: ['user_id'],
  erasures: ['subject'],
};

/** What the rest holds. */
const kept: [columns: RegExp, why: string][] = [
  [/^(messages\.wamid|deliveries\.message_id)$/, 'ids of the platform stay, as all ids'],
  [
    /^bookings\.(provider|calendar_id|calendar_key|event_id|event_link|meeting_link|fallback_link)$/,
    'the calendar event stays, and is named',
  ],
  [/^bookings\.(state|timezone|source|wish|wish_timezone|hand)$/, 'states and labels of the account'],
  [/^bookings\.wish_actor$/, 'the key or session that asked for a change, while it is pending'],
  [
    /^(messages\.price_category|received_messages\.type|deliveries\.(kind|last_failure)|attempts\.failure)$/,
    "the program's or the platform's words",
  ],
  [/^idempotency_keys\.(operation|fingerprint)$/, 'an HMAC of the request'],
  [/^(erased_opt_outs\.hash|erasure_keys\.key)$/, 'an HMAC of the number, and its key, encrypted'],
  [
    /^(accounts|api_keys|dashboard_links|sessions|senders|sender_states|staff|departments|calendar_connections|oauth_states|form_questions|endpoints|opt_out_settings|template(s|_versions|_readings|_changes)|sends|replays|account_retention)\./,
    'what the account itself is, has and sets up',
  ],
  [/^audit_log\./, 'who manages the account; messages, bookings and contacts by id only'],
  [/^media(_registrations)?\./, 'files for many people, which an account deletes itself'],
  [/^(recent_changes\.kinds|occupancies\.)/, 'ids, and times of bookings'],
  [
    /^(backups|breaking_migrations|processes|programs|endpoint_changes|dead_deliveries|dead_announcements|clock_steps|operator_notices|retention_notices|retention_kept)\./,
    'about the gateway',
  ],
  [/^(kysely_migration|kysely_migration_lock|migration_digests|incomplete_restore)\./, 'about the database'],
];

it('every text, JSON and bytes column is erased, or is named with the reason why not', async () => {
  const { rows } = await sql<{ column: string }>`
    select c.relname || '.' || a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
      and not a.attisdropped and a.atttypid::regtype::text ~ '^(text|json|jsonb|bytea|character|name|tstzrange|citext)'
    order by 1`.execute(database.db);
  const emptied = Object.entries(erased).flatMap(([table, columns]) =>
    columns.map((column) => `${table}.${column}`),
  );
  const all = rows.map(({ column }) => column);
  expect(emptied.filter((column) => !all.includes(column))).toEqual([]);
  const unknown = all.filter((column) => !emptied.includes(column) && !kept.some(([of]) => of.test(column)));
  expect(unknown).toEqual([]);
});
