// Bulk inserts of a month of history: messages, a delivery of each, and people who wrote. Generated in the database.
import { sql } from 'kysely';
import { uuidv7 } from '../src/base/ids.ts';
import type { Account, BenchFixture, Numbers } from './bench-fixture.ts';
import { idAt, makeMonth, monthStart } from './filling.ts';
import { progress } from './print.ts';

const rowsAtOnce = 200_000;
const dayMs = 86_400_000;
/** One message in so many failed; its delivery is dead if it is also one of the oldest. */
const failedOneIn = 1_000;
/** One message in so many goes to a person who wrote. */
const writesOneIn = 10;

export interface History {
  /** Messages from this number on, up to `to`, which is not included. The platform's ids and phones are numbered. */
  first: number;
  to: number;
  fromAt: Date;
  toAt: Date;
  /** So many messages, the oldest, have the template `login_code`, and deliveries to the endpoint `rareEndpointId`. */
  rare: number;
  endpointId: string;
  rareEndpointId: string;
}

export const phoneOf = (number: number): string => String(491_700_000_000 + number);

/** Adds a history, oldest first, and analyzes its tables. */
export async function fillHistory(
  { db }: BenchFixture,
  { accountId }: Account,
  { senderIds, templateIds }: Numbers,
  history: History,
): Promise<void> {
  const { first, to, fromAt, toAt, rare, endpointId, rareEndpointId } = history;
  for (let ahead = Math.floor((fromAt.getTime() - Date.now()) / (28 * dayMs)) - 1; ahead < 0; ahead++)
    if (monthStart(ahead + 1) > fromAt) await makeMonth(db, monthStart(ahead), monthStart(ahead + 1));
  for (let from = first; from < to; from += rowsAtOnce) {
    const next = Math.min(to, from + rowsAtOnce);
    const sendId = uuidv7(fromAt.getTime());
    await sql`
      insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
      values (${accountId}, ${sendId}, ${senderIds[0]}, ${templateIds.order_update}, 'order_update', 'en_US', ${next - from})`.execute(
      db,
    );
    await sql`
      with n as materialized (
        select n, at, ${idAt('at')} as id, n < ${first + rare} as is_rare, n % ${failedOneIn}::int = 0 as is_failed from (
          select n, ${fromAt}::timestamptz
            + (n - ${first}) * (${toAt}::timestamptz - ${fromAt}::timestamptz) / ${to - first}::float8 as at
          from generate_series(${from}::bigint, ${next - 1}::bigint) n) x),
      m as (
        insert into messages (account_id, id, send_id, sender_id, template_id, phone, name, content, metadata, position, priority,
          state, emitted, attempts, expires_at, wamid, accepted_at, sent_at, delivered_at, read_at, failed_at, error)
        select ${accountId}, id, ${sendId}, ${senderIds[0]},
          case when is_rare then ${templateIds.login_code}::uuid else ${templateIds.order_update}::uuid end,
          (491700000000 + n)::text, 'Ada Lovelace',
          '{"body": [{"text": "Ada"}, {"text": "A-1001"}, {"text": "on Friday"}], "buttons": []}', null, 0, 1,
          case when is_failed then 6 when n % 10 = 1 then 4 else 5 end, case when is_failed then 8 else 7 end, 1, at + interval '1 day',
          'wamid.bench' || n, at, at, at, case when not is_failed then at end, case when is_failed then at end,
          case when is_failed then '{"code": 131026, "title": "Message undeliverable", "message": "The message could not be delivered."}'::jsonb end from n),
      d as (
        insert into deliveries (id, account_id, endpoint_id, subject_id, stage, body_form, made_ms, state, attempts, last_status,
          last_failure, last_ms, last_attempt_at, delivered_at, dead_at)
        select ${idAt('n.at')}, ${accountId}, case when is_rare then ${rareEndpointId}::uuid else ${endpointId}::uuid end, n.id, 5,
          1, 0, case when is_rare and is_failed then 2 else 1 end, 1, case when is_rare and is_failed then 500 else 200 end,
          case when is_rare and is_failed then 'status' end, 3, at, case when not (is_rare and is_failed) then at end,
          case when is_rare and is_failed then at end from n),
      p as materialized (select n, at, (491700000000 + n)::text as phone, gen_random_uuid() as contact_id, ${idAt('n.at')} as received_id
        from n where n % ${writesOneIn}::int = 0),
      r as (
        insert into received_messages (account_id, id, sender_id, message_ref, person, phone, type, content, received_at, sent_at)
        select ${accountId}, received_id, ${senderIds[0]}, 'wamid.in' || n, phone, phone, 'text', '{"text": "Thank you"}', at, at from p),
      c as (
        insert into contacts (account_id, id, phone, name, named_at, created_at)
        select ${accountId}, contact_id, phone, 'Ada Lovelace ' || n, at, at from p),
      i as (insert into contact_identities (account_id, identity, contact_id) select ${accountId}, phone, contact_id from p),
      w as (
        insert into contact_windows (account_id, contact_id, sender_id, last_received_at)
        select ${accountId}, contact_id, ${senderIds[0]}, at from p)
      insert into conversations (account_id, contact_id, last_id) select ${accountId}, contact_id, received_id from p`.execute(
      db,
    );
    if (to - first > 2 * rowsAtOnce) progress(`${(next - first).toLocaleString('en')} messages of history`);
  }
  const tables = ['messages', 'deliveries', 'received_messages', 'contacts', 'contact_identities'];
  for (const table of [...tables, 'contact_windows', 'conversations', 'sends'])
    await sql`vacuum analyze ${sql.table(table)}`.execute(db);
}
