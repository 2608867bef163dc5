// Tables contacts and conversations: lists of contacts with their last message and what is unread.
import { sql } from 'kysely';
import { maxUuid, nilUuid } from '../../base/ids.ts';
import { textArray } from '../../db/array-text.ts';
import type { Db } from '../../db/db.ts';
import type { ReceivedContent } from '../../ports/platform-received.ts';
import type { StoredReply } from '../messages/message.ts';
import type { Search } from './words.ts';

export interface ContactRow {
  id: string;
  phone: string | null;
  user_id: string | null;
  name: string | null;
  last_received_at: Date | null;
  /** 0 none, 1 marketing, 2 all. */
  opt_out: number;
  windows: { senderId: string; lastReceivedAt: string }[];
  /** The newest received message or reply; null if there is none, or it was not folded yet. */
  last_id: string | null;
  unread: number;
  /** Of the last message, if it was received and is still stored. */
  received_type: string | null;
  received_content: ReceivedContent | null;
  /** Of the last message, if it is a reply. */
  reply_content: StoredReply | null;
  reply_state: number | null;
}

/** Unread messages are counted among this many of a person. */
const unreadMax = 100;

const identities = sql`contact_identities i where i.contact_id = c.id and i.account_id = c.account_id`;
const windows = sql`contact_windows w where w.account_id = c.account_id and w.contact_id = c.id`;

/** To come after a table `c` of contacts, whose rows may be missing, with `v` of conversations. */
const columns = sql`c.id, c.phone, c.user_id, c.name, v.last_id, r.type as received_type, r.content as received_content,
  m.content as reply_content, m.state as reply_state,
  (select max(w.last_received_at) from ${windows}) as last_received_at,
  coalesce((select max(i.opt_out) from ${identities}), 0)::int as opt_out,
  coalesce((select jsonb_agg(jsonb_build_object('senderId', w.sender_id, 'lastReceivedAt', w.last_received_at) order by w.last_received_at desc)
    from ${windows}), '[]') as windows,
  (select count(*)::int from (
    select u.id, u.received_at from (select i.identity from ${identities}) p cross join lateral (
      select id, received_at from received_messages x
      where x.person = p.identity and x.account_id = c.account_id and x.type <> 'system'
      order by x.id desc limit ${sql.lit(unreadMax)}) u
    order by u.id desc limit ${sql.lit(unreadMax)}) n where c.read_at is null or n.received_at > c.read_at) as unread`;
const lastMessage = sql`
  left join lateral (select type, content from received_messages x where x.account_id = c.account_id and x.id = v.last_id) r on true
  left join lateral (select content, state from messages x where x.account_id = c.account_id and x.id = v.last_id) m on true`;
/** Of a table `c` of contacts. */
const lastOfContacts = sql`left join conversations v on v.account_id = c.account_id and v.contact_id = c.id ${lastMessage}`;

export interface ListWindow {
  beforeId?: string | undefined;
  limit: number;
}

/** Lists contacts, newest first. */
export async function listContacts(
  db: Db,
  accountId: string,
  { beforeId = maxUuid, limit }: ListWindow,
): Promise<ContactRow[]> {
  const { rows } = await sql<ContactRow>`
    select ${columns} from (
      select * from contacts where account_id = ${accountId} and id < ${beforeId} order by id desc limit ${limit}) c
    ${lastOfContacts}
    order by c.id desc`.execute(db);
  return rows;
}

/** A row of `listByLastMessage`: a contact that was merged a moment ago has no `id`. */
export type ListedRow = Omit<ContactRow, 'id'> & { id: string | null };

/** Lists contacts that have a message, by their last one, newest first. */
export async function listByLastMessage(
  db: Db,
  accountId: string,
  { beforeId = maxUuid, limit }: ListWindow,
): Promise<ListedRow[]> {
  const { rows } = await sql<ListedRow>`
    select ${columns} from (
      select * from conversations where account_id = ${accountId} and last_id < ${beforeId} order by last_id desc limit ${limit}) v
    left join contacts c on c.account_id = v.account_id and c.id = v.contact_id ${lastMessage}
    order by v.last_id desc`.execute(db);
  return rows;
}

/** What a list by the last message can be limited to. */
export type ConversationFilter =
  /** Written by the person after this instant to one of the account's numbers: `from` is the lowest id of that time. */
  | { wroteAfter: Date; fromId: string }
  /** The last message is the person's. */
  | 'unanswered';

/** Lists contacts that a filter finds by their last message, newest first. A contact that no longer fits has no `id`. */
export async function listFiltered(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  { beforeId = maxUuid, limit }: ListWindow,
): Promise<ListedRow[]> {
  const isUnanswered = filter === 'unanswered';
  // replies need an open window, so few conversations of the last day have none
  const fits = isUnanswered
    ? sql`v.last_id > v.replied_id`
    : // not as a join, which would read all windows
      sql`v.last_id >= ${filter.fromId} and ${filter.wroteAfter} < (
        select max(w.last_received_at) from contact_windows w where w.account_id = v.account_id and w.contact_id = v.contact_id)`;
  // answered a moment ago, and not written yet
  const stillFits = isUnanswered ? sql`(c.last_reply_id is null or c.last_reply_id < v.last_id)` : sql`true`;
  const { rows } = await sql<ListedRow>`
    select ${columns} from (
      select * from conversations v where account_id = ${accountId} and last_id < ${beforeId} and ${fits}
      order by last_id desc limit ${limit}) v
    left join contacts c on c.account_id = v.account_id and c.id = v.contact_id and ${stillFits} ${lastMessage}
    order by v.last_id desc`.execute(db);
  return rows;
}

/** Lists contacts that opted out, the newest opt-out first. */
export async function listOptedOut(
  db: Db,
  accountId: string,
  { beforeId = maxUuid, limit }: ListWindow,
): Promise<(ContactRow & { opt_out_id: string })[]> {
  const { rows } = await sql<ContactRow & { opt_out_id: string }>`
    select o.id as opt_out_id, ${columns} from (
      select * from opt_outs where account_id = ${accountId} and scope > 0 and id < ${beforeId} order by id desc limit ${limit}) o
    join contacts c on c.account_id = o.account_id and c.id = o.contact_id
    ${lastOfContacts}
    order by o.id desc`.execute(db);
  return rows;
}

/** Finds contacts of the account by their ids. */
export async function findContacts(db: Db, accountId: string, ids: readonly string[]): Promise<ContactRow[]> {
  const { rows } = await sql<ContactRow>`
    select ${columns} from contacts c ${lastOfContacts}
    where c.account_id = ${accountId} and c.id = any (${[...ids]}::uuid[])`.execute(db);
  return rows;
}

/** A word that was scanned, and whether its contact is found by it. */
export interface ScannedWord {
  word: string;
  contactId: string;
  isFound: boolean;
}

/** The end of the range of texts with a prefix, in the order of bytes. */
const endOf = (prefix: string): string => `${prefix}\u{10ffff}`;

/**
 * Scans up to `limit` words that begin with one of the prefixes, by word and contact, after `after`. A contact is found by the first of its
 * words that fits, if it also has the others.
 */
export async function scanWords(
  db: Db,
  accountId: string,
  { prefixes, others }: Search,
  { after, limit }: { after: { word: string; contactId: string } | undefined; limit: number },
): Promise<ScannedWord[]> {
  const begins = textArray(prefixes);
  const ends = textArray(prefixes.map(endOf));
  const afterWord = sql`${after?.word ?? ''}::text`;
  const { rows } = await sql<ScannedWord>`
    select s.word, s.contact_id as "contactId",
      s.word = (select min(w collate "C") from unnest(v.words) w, unnest(${begins}::text[]) p where starts_with(w, p))
        and not exists (select from unnest(${textArray(others)}::text[]) p
          where not exists (select from unnest(v.words) w where starts_with(w, p))) as "isFound"
    from (
      select s.* from unnest(${begins}::text[], ${ends}::text[]) p(first, last) cross join lateral (
        select word, contact_id from conversation_words
        -- one lower bound: with two, the scan of the index begins at the lesser one
        where account_id = ${accountId} and (word, contact_id) > (greatest(p.first, ${afterWord} collate "C"),
          case when ${afterWord} collate "C" >= p.first then ${after?.contactId ?? nilUuid}::uuid else ${nilUuid}::uuid end)
          and word < p.last
        order by word, contact_id limit ${limit}) s
      order by s.word, s.contact_id limit ${limit}) s
    join conversations v on v.account_id = ${accountId} and v.contact_id = s.contact_id
    order by s.word, s.contact_id`.execute(db);
  return rows;
}
