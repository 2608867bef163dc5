// Bulk inserts of finished messages and deliveries, generated in the database.
import { sql } from 'kysely';
import { uuidv7 } from '../src/base/ids.ts';
import { lowestUuidAt } from '../src/base/uuid-time.ts';
import type { Db } from '../src/db/db.ts';
import { partitionedTables, partitionOptions } from '../src/db/partitions.ts';
import type { Account, BenchFixture, Numbers } from './bench-fixture.ts';

const rowsAtOnce = 200_000;

/** A random id of the time `at`, an expression. */
export const idAt = (at: string) =>
  sql.raw(`(left(uuid7_floor(${at})::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid`);

/** The beginning of the month that is `ahead` months from now; negative: before now. */
export const monthStart = (ahead: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
};

/** Makes the partitions of a month, which may be over, unless they exist. */
export async function makeMonth(db: Db, from: Date, to: Date): Promise<void> {
  const name = from.toISOString().slice(0, 7).replace('-', '_');
  for (const table of partitionedTables())
    await sql
      .raw(
        `create table if not exists ${table}_${name} partition of ${table}
         for values from ('${lowestUuidAt(from)}') to ('${lowestUuidAt(to)}') ${partitionOptions(table)}`,
      )
      .execute(db);
}

/** Adds read messages until the account has `count`; phones and platform ids are numbered from 0. */
export async function fillMessages(
  fixture: BenchFixture,
  account: Account,
  numbers: Numbers,
  have: number,
  count: number,
): Promise<void> {
  const templateId = numbers.templateIds.order_update;
  for (let from = have; from < count; from += rowsAtOnce) {
    const to = Math.min(count, from + rowsAtOnce) - 1;
    const sendId = uuidv7(Date.now());
    await sql`
      insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
      values (${account.accountId}, ${sendId}, ${numbers.senderIds[0]}, ${templateId}, 'order_update', 'en_US',
        ${to - from + 1})`.execute(fixture.db);
    await sql`
      insert into messages (account_id, id, send_id, sender_id, template_id, phone, name, content, position, priority, state,
        emitted, attempts, expires_at, wamid, accepted_at, sent_at, delivered_at, read_at)
      select ${account.accountId}, uuid7(), ${sendId}, (${numbers.senderIds}::uuid[])[1 + n % ${numbers.senderIds.length}::int],
        ${templateId}, (491700000000 + n)::text, 'Ada Lovelace',
        '{"body": [{"text": "Ada"}, {"text": "A-1001"}, {"text": "on Friday"}], "buttons": []}', 0, 1, 5,
        7, 1, now() + interval '1 day', 'wamid.bench' || n, now(), now(), now(), now()
      from generate_series(${from}::bigint, ${to}::bigint) n`.execute(fixture.db);
  }
  await sql`vacuum analyze messages`.execute(fixture.db);
}

/** Adds a completed delivery of the last stage for every message of `fillMessages`. */
export async function fillDeliveries(fixture: BenchFixture, account: Account, count: number): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from endpoints where account_id = ${account.accountId} limit 1`.execute(fixture.db);
  const endpointId = rows[0]?.id;
  for (let from = 0; from < count; from += rowsAtOnce) {
    const to = Math.min(count, from + rowsAtOnce) - 1;
    await sql`
      insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, message_id, body, state, attempts,
        last_status, last_ms, last_attempt_at, delivered_at)
      select uuid7(), account_id, ${endpointId}, id, 5, 'messages.status', wamid, rpad('{"event":"messages.status"', 420, ' '),
        1, 1, 200, 3, now(), now()
      from messages where wamid = any (array(
        select 'wamid.bench' || n from generate_series(${from}::bigint, ${to}::bigint) n))`.execute(
      fixture.db,
    );
  }
  await sql`vacuum analyze deliveries`.execute(fixture.db);
}

/** Sets a random `count` of messages from number `from` on back to accepted, so that reports can move them; returns their ids. */
export async function resetToAccepted(
  fixture: BenchFixture,
  account: Account,
  total: number,
  count: number,
  from = 0,
): Promise<string[]> {
  const one = () => from + Math.floor(Math.random() * (total - from));
  const wanted = Array.from({ length: count }, () => `wamid.bench${one()}`);
  const { rows } = await sql<{ id: string }>`
    update messages set state = 2, emitted = 0, sent_at = null, delivered_at = null, read_at = null
    where wamid = any(${wanted}::text[]) and account_id = ${account.accountId} returning id`.execute(
    fixture.db,
  );
  return rows.map((row) => row.id);
}

/** Adds due messages for each number. */
export async function addDue(
  fixture: BenchFixture,
  account: Account,
  numbers: Numbers,
  perNumber: number,
): Promise<void> {
  const sendId = uuidv7(Date.now());
  const templateId = numbers.templateIds.order_update;
  for (const senderId of numbers.senderIds) {
    await sql`
      insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
      values (${account.accountId}, ${sendId}, ${senderId}, ${templateId}, 'order_update', 'en_US', ${perNumber})
      on conflict do nothing`.execute(fixture.db);
    await sql`
      insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, priority, due_at, expires_at)
      select ${account.accountId}, uuid7(), ${sendId}, ${senderId}, ${templateId}, (494000000000 + n)::text,
        '{"body": [], "buttons": []}', 1, now(), now() + interval '1 day'
      from generate_series(1, ${perNumber}::int) n`.execute(fixture.db);
  }
}
