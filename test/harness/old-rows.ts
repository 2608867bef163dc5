// Rows that ended long ago, for tests of retention and erasure: with ids of their time, as the program would have written them.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { noDays, type RetentionDays } from '../../src/base/retention-days.ts';
import { lowestUuidAt } from '../../src/base/uuid-time.ts';
import type { Db } from '../../src/db/db.ts';
import { type Removed, removeExpired } from '../../src/retention/retention.ts';
import { recordNotices } from '../../src/retention/settings-store.ts';

const dayMs = 86_400_000;

/** A UUIDv7 of exactly that time; `uuidv7` never goes back. */
export const idAt = (at: Date): string => `${lowestUuidAt(at).slice(0, 14)}7${randomUUID().slice(15)}`;

/** What tests of retention take as the current time. */
export const now = new Date();

/** The days of tests of retention that give no others. */
export const days: RetentionDays = {
  ...noDays,
  messages: 40,
  received: 30,
  deliveries: 30,
  bookings: 10,
  audit: 100,
};

/** The 15th of a month, four months ago. */
export const longAgo = () => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 4, 15, 12));

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * dayMs);

/** Creates the partition of a month that a time is in; returns the part of its name after the table's. */
export async function makeMonth(db: Db, tables: readonly string[], at: Date): Promise<string> {
  const from = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
  const to = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
  return makePartition(db, tables, { from, to, suffix: from.toISOString().slice(0, 7) });
}

/** The same for the day, as with `PARTITION_BY=day`. */
export async function makeDay(db: Db, tables: readonly string[], at: Date): Promise<string> {
  const day = at.toISOString().slice(0, 10);
  const from = new Date(`${day}T00:00:00Z`);
  return makePartition(db, tables, { from, to: new Date(from.getTime() + dayMs), suffix: day });
}

async function makePartition(
  db: Db,
  tables: readonly string[],
  { from, to, suffix: text }: { from: Date; to: Date; suffix: string },
): Promise<string> {
  const suffix = `_${text.replaceAll('-', '_')}`;
  for (const table of tables)
    await sql
      .raw(
        `create table if not exists ${table}${suffix} partition of ${table} for values from ('${lowestUuidAt(from)}') to ('${lowestUuidAt(to)}')`,
      )
      .execute(db);
  return suffix;
}

/** The tables that have partitions. */
export const partitioned = ['messages', 'deliveries', 'attempts', 'received_messages'] as const;

export interface OldMessage {
  accountId: string;
  /** Its id has this time. */
  at: Date;
  /** Of its last stage; default `at`. Null: it waits. */
  endedAt?: Date | null;
  sendId?: string;
  phone?: string;
  userId?: string;
  mediaId?: string;
  content?: unknown;
}

/** Inserts a delivered message, or one that waits; returns its id. */
export async function oldMessage(db: Db, of: OldMessage): Promise<string> {
  const id = idAt(of.at);
  const ended = of.endedAt === undefined ? of.at : of.endedAt;
  const isReply = of.userId !== undefined;
  await sql`
    insert into messages (account_id, id, kind, send_id, sender_id, template_id, phone, user_id, content, media_id, state, due_at,
      expires_at, accepted_at, delivered_at, wamid, name, metadata)
    values (${of.accountId}, ${id}, ${isReply ? 1 : 0}, ${isReply ? null : (of.sendId ?? randomUUID())}, ${randomUUID()},
      ${isReply ? null : randomUUID()}, ${isReply ? null : (of.phone ?? '15550100')}, ${of.userId ?? null},
      ${JSON.stringify(of.content ?? {})}::jsonb, ${of.mediaId ?? null},
      ${ended === null ? 0 : 4}, ${ended === null ? of.at : null}, ${new Date(of.at.getTime() + dayMs)}, ${ended === null ? null : of.at},
      ${ended}, ${`wamid.${id}`}, 'Ada', '{"order": "77"}')`.execute(db);
  return id;
}

export interface OldDelivery {
  accountId: string;
  at: Date;
  /** Null: it waits for its next attempt. */
  endedAt?: Date | null;
  /** Default: of no message. */
  subjectId?: string;
  endpointId?: string;
  attempts?: number;
}

/** Inserts a delivery with failed attempts; returns its key. */
export async function oldDelivery(db: Db, of: OldDelivery) {
  const ended = of.endedAt === undefined ? of.at : of.endedAt;
  const key = {
    id: idAt(of.at),
    subjectId: of.subjectId ?? idAt(of.at),
    endpointId: of.endpointId ?? randomUUID(),
  };
  await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, due_at, delivered_at)
    values (${key.id}, ${of.accountId}, ${key.endpointId}, ${key.subjectId}, 4, 'messages.status', '{}', ${ended === null ? 4 : 1},
      ${ended === null ? new Date() : null}, ${ended})`.execute(db);
  for (let no = 1; no <= (of.attempts ?? 1); no += 1)
    await sql`
      insert into attempts (subject_id, endpoint_id, stage, no, at, status, failure, answer)
      values (${key.subjectId}, ${key.endpointId}, 4, ${no}, ${of.at}, 500, 'status', 'no')`.execute(db);
  return key;
}

/** Inserts a received message; returns its id. */
export async function oldReceived(
  db: Db,
  of: { accountId: string; at: Date; phone?: string },
): Promise<string> {
  const id = idAt(of.at);
  const phone = of.phone ?? '15550100';
  await sql`
    insert into received_messages (account_id, id, sender_id, message_ref, person, phone, name, type, content, received_at, raw)
    values (${of.accountId}, ${id}, ${randomUUID()}, ${id}, ${phone}, ${phone}, 'Ada', 'text', '{"text": "hello"}', ${of.at},
      '{"text": "hello"}')`.execute(db);
  return id;
}

/** True if a row with that id is in the table. */
export async function has(db: Db, table: string, id: string): Promise<boolean> {
  const column = table === 'attempts' ? 'subject_id' : 'id';
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${sql.table(table)} where ${sql.ref(column)} = ${id}) as found`.execute(db);
  return rows[0]?.found === true;
}

/** The partitions of a table, except the default one. */
export async function partitionsOf(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT' order by 1`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

export const noLog = { info: () => undefined, warn: () => undefined } as never;

/** Announces days so long ago that they apply. */
export const announce = (db: Db, of: RetentionDays = days) => recordNotices(db, of, daysBefore(now, 8));

/** Does a whole run of retention; returns what it removed. */
export async function removeAll(db: Db, of: RetentionDays = days, at: Date = now): Promise<Removed> {
  const steps = removeExpired({ db, log: noLog, days: of }, at);
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value;
  }
}
