// Tables contacts, contact_identities and contact_windows: the usual people of a batch in one statement.
import { type RawBuilder, sql } from 'kysely';
import { arrayText, textArray } from '../../db/array-text.ts';
import type { Tx } from '../../db/db.ts';
import { insertChanged } from './changed-contacts-store.ts';

/** A person who wrote to one number. Times are epoch milliseconds. */
export interface UsualPerson {
  accountId: string;
  identities: readonly string[];
  phone: string | null;
  userId: string | null;
  name: string | null;
  senderId: string;
  atMs: number;
  /** The newest message that they wrote. */
  lastReceivedId: string | null;
  /** The id of their contact if they are new. */
  newContactId: string;
}

/** A recorded person; `contactId` is null if another transaction inserted one of a new person's identities first. */
export interface RecordedPerson {
  /** The position among the given people, from 1. */
  no: number;
  contactId: string | null;
}

// `owners` has the contact of each identity, null without one
const isNew = sql`array_remove(x.owners, null) = '{}'`;

/** The parts of a statement that records people. */
export interface UsualPeopleSql {
  /** Its common table expressions, to come after `with` and others. */
  tables: RawBuilder<unknown>;
  /** A query of RecordedPerson: those who were recorded. */
  recorded: RawBuilder<RecordedPerson>;
}

/**
 * Returns the parts of a statement, also one that does something else, that records people who are known under all their
 * identities and names and wrote to this number before, and people who are entirely new. Everybody else is unchanged. Locks the
 * windows of known people, which a merge of their contact waits for. Subqueries instead of joins: the plan of an empty database
 * would read all people of an account for each one.
 */
export function usualPeople(people: readonly UsualPerson[]): UsualPeopleSql {
  let end = 0;
  const ends = people.map(({ identities }) => {
    end += identities.length;
    return end;
  });
  const tables = sql`
    given as materialized (select ${textArray(people.flatMap(({ identities }) => identities))}::text[] as all_identities),
    x as materialized (
      select p.*, o.identities, array(
        select (select i.contact_id from contact_identities i where i.account_id = p.a and i.identity = k.identity)
        from unnest(o.identities) k(identity)) as owners
      from given, unnest(${arrayText(people.map((one) => one.accountId))}::uuid[], ${arrayText(people.map((one) => one.newContactId))}::uuid[],
        ${arrayText(people.map((one) => one.senderId))}::uuid[], ${textArray(people.map((one) => one.phone))}::text[],
        ${textArray(people.map((one) => one.userId))}::text[], ${textArray(people.map((one) => one.name))}::text[],
        ${arrayText(people.map((one) => one.atMs))}::float8[], ${arrayText(people.map((one) => one.identities.length))}::int[],
        ${arrayText(ends)}::int[], ${arrayText(people.map((one) => one.lastReceivedId))}::uuid[])
        with ordinality p(a, new_id, s, phone, user_id, name, at, size, last, last_id, no)
      cross join lateral (select all_identities[p.last - p.size + 1 : p.last] as identities) o),
    known_people as (
      update contact_windows w set last_received_at = greatest(w.last_received_at, to_timestamp(x.at / 1000.0))
      from x join contacts c on c.account_id = x.a and c.id = x.owners[1]
      where x.owners[1] = all (x.owners)
        and (x.phone is null or x.phone = c.phone) and (x.user_id is null or x.user_id = c.user_id)
        and (x.name is null or x.name = c.name)
        and w.account_id = x.a and w.contact_id = c.id and w.sender_id = x.s
      returning x.no, x.a as account_id, w.contact_id, x.last_id),
    claimed as (
      insert into contact_identities (account_id, identity, contact_id)
      select x.a, k.identity, x.new_id from x cross join unnest(x.identities) k(identity) where ${isNew}
      on conflict (account_id, identity) do nothing returning contact_id),
    created as materialized (
      select * from x where ((x.new_id, x.size) in (select contact_id, count(*)::int from claimed group by contact_id)) is true),
    people as (
      insert into contacts (account_id, id, phone, user_id, name, named_at, read_at)
      select a, new_id, phone, user_id, name, to_timestamp(at / 1000.0), null from created),
    windows as (
      insert into contact_windows (account_id, contact_id, sender_id, last_received_at)
      select a, new_id, s, to_timestamp(at / 1000.0) from created),
    changed as (${insertChanged(sql`select account_id, contact_id, last_id from known_people union all select a, new_id, null from created`)})`;
  const recorded = sql<RecordedPerson>`
    select no::int as no, contact_id as "contactId" from known_people
    union all select no::int, new_id from created
    union all select x.no::int, null from x where ${isNew} and (x.no in (select no from created)) is not true`;
  return { tables, recorded };
}

/** Records such people in a statement of their own. */
export async function recordUsual(tx: Tx, people: readonly UsualPerson[]): Promise<RecordedPerson[]> {
  const { tables, recorded } = usualPeople(people);
  const { rows } = await sql<RecordedPerson>`/* recordUsual */ with ${tables} ${recorded}`.execute(tx);
  return rows;
}
