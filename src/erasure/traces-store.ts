// Statements that erase a person from webhook deliveries, stored answers and bookings.
import { sql } from 'kysely';
import { arrayText } from '../db/array-text.ts';
import type { Db, Tx } from '../db/db.ts';
import { lockDeliveries } from '../webhooks/publish.ts';
import type { Subject } from './subject.ts';

/** What a receiver may have repeated of a body. */
const answersOff = sql`last_answer = null`;

/** The event of a body without its data. */
const emptyBody = sql`case when d.body is not null then jsonb_build_object('event', d.body::jsonb -> 'event',
  'timestamp', d.body::jsonb -> 'timestamp', 'data', jsonb_build_object('erased', true))::text end`;

/**
 * Erases the stored bodies of these subjects' deliveries, and what receivers answered. Returns how many deliveries there were. Locks them first, in the
 * order in which their attempts are recorded.
 */
export async function eraseDeliveries(tx: Tx, subjectIds: readonly string[]): Promise<number> {
  const ids = sql`any (${arrayText(subjectIds)}::uuid[])`;
  const stages = sql`select subject_id, endpoint_id, stage, id from deliveries where subject_id = ${ids}`;
  await sql`${lockDeliveries(stages)}`.execute(tx);
  const { numAffectedRows } = await sql`
    update deliveries d set ${answersOff}, body = ${emptyBody} where d.subject_id = ${ids}`.execute(tx);
  await sql`update attempts set answer = null, detail = null where subject_id = ${ids}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** A delivery whose stored body names the person; null: the step's last one does not. */
export interface Found {
  lastId: string | null;
  subjectIds: string[];
}

/** Characters that have a meaning in a regular expression. */
const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** Matches bodies with one of the person's names: a number is not a part of a longer one. */
export function patternOf({ phones, userIds, emails }: Subject): string {
  const texts = [...userIds, ...emails].map((text) => quoted(JSON.stringify(text).slice(1, -1)));
  return [...phones.map((phone) => `(^|[^0-9])${phone}([^0-9]|$)`), ...texts].join('|');
}

/** Reads the next deliveries of the account, and returns the subjects of those whose stored body names the person. */
export async function findInBodies(
  db: Db,
  of: { accountId: string; pattern: string; after: string; limit: number },
): Promise<Found> {
  const { rows } = await sql<{ lastId: string | null; subjectIds: string[] }>`
    select (array_agg(d.id order by d.id desc))[1] as "lastId",
      coalesce(array_agg(distinct d.subject_id) filter (where d.body ~* ${of.pattern}), '{}') as "subjectIds"
    from (select id, subject_id, body from deliveries where account_id = ${of.accountId} and id > ${of.after}
      order by id limit ${of.limit}::int) d`.execute(db);
  return rows[0] ?? { lastId: null, subjectIds: [] };
}

/** A stored answer to a request with an Idempotency-Key. */
export interface StoredAnswer {
  operation: string;
  key: string;
  body: string;
}

/** The stored answers about these subjects. */
export async function findAnswers(
  tx: Tx,
  accountId: string,
  subjectIds: readonly string[],
): Promise<StoredAnswer[]> {
  const { rows } = await sql<{ operation: string; key: string; body: string | null }>`
    select operation, key, body from idempotency_keys
    where subject_id = any (${arrayText(subjectIds)}::uuid[]) and account_id = ${accountId} and body is not null`.execute(
    tx,
  );
  return rows.flatMap(({ body, ...row }) => (body === null ? [] : { ...row, body }));
}

/** Replaces a stored answer. */
export async function replaceAnswer(
  tx: Tx,
  accountId: string,
  { operation, key, body }: StoredAnswer,
): Promise<void> {
  await sql`
    update idempotency_keys set body = ${body}
    where account_id = ${accountId} and operation = ${operation} and key = ${key}`.execute(tx);
}

/** A booking of the person. */
export interface PersonBooking {
  id: string;
  state: string;
  startsAt: Date;
  endsAt: Date;
  isPending: boolean;
  eventId: string | null;
  eventLink: string | null;
}

/** Bookings by number or address. */
export async function findBookings(
  db: Db | Tx,
  accountId: string,
  { phones, emails }: Pick<Subject, 'phones' | 'emails'>,
): Promise<PersonBooking[]> {
  const columns = sql`id, state, starts_at as "startsAt", ends_at as "endsAt", due_at is not null as "isPending", event_id as "eventId",
    event_link as "eventLink"`;
  const { rows } = await sql<PersonBooking>`
    select ${columns} from bookings where account_id = ${accountId} and phone_digits = any (${[...phones]}::text[])
    union select ${columns} from bookings where account_id = ${accountId} and lower(email) = any (${[...emails]}::text[])
    order by id`.execute(db);
  return rows;
}

/** Erases bookings of which nothing is pending; returns how many. */
export async function eraseBookings(tx: Tx, accountId: string, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update bookings set email = '', phone_number = '', name = null, answers = '[]', cancel_reason = null
    where account_id = ${accountId} and id = any (${arrayText(ids)}::uuid[]) and due_at is null`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
