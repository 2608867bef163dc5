// Tables contacts and contact_windows.
import { type RawBuilder, sql } from 'kysely';
import { arrayText, textArray } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';

/** The primary key of a contact. */
export interface ContactKey {
  accountId: string;
  contactId: string;
}

/** The arguments for the account and the contact of an `unnest`, to which others may be added. */
export const contactKeys = (keys: readonly ContactKey[]) => sql`
  ${arrayText(keys.map((key) => key.accountId))}::uuid[], ${arrayText(keys.map((key) => key.contactId))}::uuid[]`;

/** The key as text, for maps. */
export const contactKeyText = ({ accountId, contactId }: ContactKey): string => `${accountId} ${contactId}`;

/** A contact that the transaction has locked. */
export interface LockedContact extends ContactKey {
  phone: string | null;
  userId: string | null;
}

/**
 * Locks contacts, in the order of their keys, against merges and new identities until the transaction ends. Returns those that exist: a
 * missing one was merged.
 */
export async function lockContacts(tx: Tx, keys: readonly ContactKey[]): Promise<LockedContact[]> {
  const { rows } = await sql<LockedContact>`
    /* lockContacts */ select c.account_id as "accountId", c.id as "contactId", c.phone, c.user_id as "userId"
    from unnest(${contactKeys(keys)}) x(a, i)
    join contacts c on c.account_id = x.a and c.id = x.i
    order by c.account_id, c.id for no key update of c`.execute(tx);
  return rows;
}

/**
 * Locks the windows of locked contacts, in the order in which `usualPeople` locks those of a batch: by the first identity of each contact. That
 * statement locks no contacts.
 */
export async function lockWindows(tx: Tx, keys: readonly ContactKey[]): Promise<void> {
  await sql`
    /* lockWindows */ select from (
      select x.a, x.c, (select min(i.identity collate "C") from contact_identities i where i.contact_id = x.c and i.account_id = x.a) as first
      from unnest(${contactKeys(keys)}) x(a, c)) x
    join contact_windows w on w.account_id = x.a and w.contact_id = x.c
    order by x.a, x.first, w.sender_id for no key update of w`.execute(tx);
}

/** What a batch learned about a contact. Times are epoch milliseconds. */
export interface ContactNews {
  accountId: string;
  id: string;
  phone: string | null;
  userId: string | null;
  name: string | null;
  namedAtMs: number;
  lastReceivedAtMs: number | null;
}

const instantOf = (ms: RawBuilder<unknown>) => sql`to_timestamp(${ms} / 1000.0)`;

function newsRows(news: readonly ContactNews[]) {
  return sql`unnest(${arrayText(news.map((one) => one.accountId))}::uuid[], ${arrayText(news.map((one) => one.id))}::uuid[],
    ${textArray(news.map((one) => one.phone))}::text[], ${textArray(news.map((one) => one.userId))}::text[], ${textArray(news.map((one) => one.name))}::text[],
    ${arrayText(news.map((one) => one.namedAtMs))}::float8[], ${arrayText(news.map((one) => one.lastReceivedAtMs))}::float8[])
    x(a, i, phone, user_id, name, named_at, received_at)`;
}

/** Inserts contacts. */
export async function insertContacts(tx: Tx, news: readonly ContactNews[]): Promise<void> {
  await sql`
    /* insertContacts */ insert into contacts (account_id, id, phone, user_id, name, named_at, read_at)
    select a, i, phone, user_id, name, ${instantOf(sql`received_at`)}, null from ${newsRows(news)}`.execute(
    tx,
  );
}

/**
 * Updates contacts and returns how many exist. Older news never replace newer names. The row is the lock of everything that
 * belongs to a contact: a missing row means that another transaction has merged it.
 */
export async function updateContacts(tx: Tx, news: readonly ContactNews[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    /* updateContacts */ with x as materialized (select * from ${newsRows(news)}),
    locked as materialized (
      select c.account_id, c.id from x join contacts c on c.account_id = x.a and c.id = x.i
      order by c.account_id, c.id for no key update of c),
    updated as (
      update contacts c set
        phone = case when ${isNewer} then coalesce(x.phone, c.phone) else coalesce(c.phone, x.phone) end,
        user_id = case when ${isNewer} then coalesce(x.user_id, c.user_id) else coalesce(c.user_id, x.user_id) end,
        name = case when ${isNewer} then coalesce(x.name, c.name) else coalesce(c.name, x.name) end,
        named_at = greatest(c.named_at, ${instantOf(sql`x.received_at`)})
      from x join locked l on l.account_id = x.a and l.id = x.i
      where c.account_id = l.account_id and c.id = l.id returning 1)
    select count(*)::int as n from updated`.execute(tx);
  return rows[0]?.n ?? 0;
}

// a known person whose names stay the same moves only the window
const isNewer = sql`((c.named_at is null or ${instantOf(sql`x.named_at`)} >= c.named_at) and not exists (
  select from contact_windows w where w.account_id = c.account_id and w.contact_id = c.id
    and w.last_received_at > ${instantOf(sql`x.named_at`)}))`;

/** The last message of a person to a number. */
export interface WindowNews {
  accountId: string;
  contactId: string;
  senderId: string;
  atMs: number;
}

/** Records the last messages, in the order given; older ones change nothing. */
export async function openWindows(tx: Tx, windows: readonly WindowNews[]): Promise<void> {
  await sql`
    /* openWindows */ insert into contact_windows as w (account_id, contact_id, sender_id, last_received_at)
    select a, c, s, ${instantOf(sql`at`)}
    from unnest(${contactKeys(windows)}, ${arrayText(windows.map((one) => one.senderId))}::uuid[], ${arrayText(windows.map((one) => one.atMs))}::float8[]) x(a, c, s, at)
    on conflict (account_id, contact_id, sender_id) do update set last_received_at = excluded.last_received_at
    where excluded.last_received_at > w.last_received_at`.execute(tx);
}

/** Marks what was received from a person until `at` as read. */
export async function markContactRead(
  db: Db,
  { accountId, identity, at }: { accountId: string; identity: string; at: Date },
): Promise<void> {
  await sql`
    update contacts c set read_at = ${at} from contact_identities i
    where i.account_id = ${accountId} and i.identity = ${identity} and c.account_id = i.account_id and c.id = i.contact_id
      and (c.read_at is null or c.read_at < ${at})`.execute(db);
}
