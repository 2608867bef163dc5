// Tables conversations, conversation_words and conversation_changes: writing what lists of contacts are sorted and searched by.
import { sql } from 'kysely';
import { nilUuid } from '../../base/ids.ts';
import { arrayText, textArray } from '../../db/array-text.ts';
import type { Tx } from '../../db/db.ts';
import { type ContactKey, contactKeys } from '../contacts/contacts-store.ts';

/** What one round found. */
export interface TakenChanges {
  /** How many changes there were: a contact may occur more than once. */
  taken: number;
  /** The contacts that must be read again, each once. */
  toRead: ContactKey[];
  /** The changed contacts of the accounts that somebody listens to, each once. */
  heard: ContactKey[];
}

/**
 * Deletes up to `limit` recorded changes. Moves listed contacts who only wrote a message to that message, unless a newer one is there: nearly all
 * changes of a busy account, so they are not read here (2,000 of them took 10 ms of requests' time).
 */
export async function takeChanged(
  tx: Tx,
  limit: number,
  heardAccounts: readonly string[],
): Promise<TakenChanges> {
  const keys = sql`jsonb_agg(jsonb_build_object('accountId', account_id, 'contactId', contact_id))`;
  const { rows } = await sql<{ taken: number; toRead: ContactKey[] | null; heard: ContactKey[] | null }>`
    /* takeChanged */ with taken as materialized (
      delete from conversation_changes
      where ctid = any(array(select ctid from conversation_changes limit ${limit}))
      returning account_id, contact_id, last_id),
    -- of each contact the newest message, unless something else changed too
    x as materialized (
      select distinct on (account_id, contact_id) * from taken order by account_id, contact_id, last_id desc nulls first),
    moved as (
      update conversations v set last_id = greatest(v.last_id, x.last_id) from x
      where x.last_id is not null and v.account_id = x.account_id and v.contact_id = x.contact_id
      returning v.account_id, v.contact_id)
    select (select count(*)::int from taken) as taken,
      (select ${keys} from x where ((account_id, contact_id) in (select account_id, contact_id from moved)) is not true) as "toRead",
      (select ${keys} from x where account_id = any(${[...heardAccounts]}::uuid[])) as heard`.execute(tx);
  const [round] = rows;
  return { taken: round?.taken ?? 0, toRead: round?.toRead ?? [], heard: round?.heard ?? [] };
}

/** A changed contact as it is now. */
export interface ChangedContact extends ContactKey {
  /** False if it was merged into another one. */
  exists: boolean;
  name: string | null;
  identities: string[];
  lastReplyId: string | null;
  lastReceivedId: string | null;
  /** As they are stored. */
  words: string[];
}

/** Reads contacts. */
export async function readChanged(tx: Tx, keys: readonly ContactKey[]): Promise<ChangedContact[]> {
  const { rows } = await sql<ChangedContact>`
    /* readChanged */ select x.a as "accountId", x.c as "contactId", p.id is not null as exists, p.name, p.last_reply_id as "lastReplyId",
      array(select i.identity from contact_identities i where i.contact_id = x.c and i.account_id = x.a) as identities,
      (select r.id from contact_identities i cross join lateral (
          select id from received_messages m where m.person = i.identity and m.account_id = x.a order by m.id desc limit 1) r
        where i.contact_id = x.c and i.account_id = x.a order by r.id desc limit 1) as "lastReceivedId",
      coalesce((select words from conversations v where v.account_id = x.a and v.contact_id = x.c), '{}') as words
    from unnest(${contactKeys(keys)}) x(a, c) left join contacts p on p.account_id = x.a and p.id = x.c`.execute(
    tx,
  );
  return rows;
}

/** What a contact is listed by. */
export interface Listed extends ContactKey {
  /** Its newest received message or reply. */
  lastId: string | null;
  /** Its newest reply. */
  repliedId: string | null;
  words: string[];
}

/** Writes contacts. A last message is never replaced by an older one: the newest may have been deleted. */
export async function writeListed(tx: Tx, listed: readonly Listed[]): Promise<void> {
  await sql`
    /* writeListed */ insert into conversations as v (account_id, contact_id, last_id, replied_id, words)
    select a, c, last_id, coalesce(replied_id, ${nilUuid}), string_to_array(words, E'\n')
    from unnest(${contactKeys(listed)}, ${arrayText(listed.map((one) => one.lastId))}::uuid[], ${arrayText(listed.map((one) => one.repliedId))}::uuid[],
      ${textArray(listed.map((one) => one.words.join('\n')))}::text[])
      x(a, c, last_id, replied_id, words)
    on conflict (account_id, contact_id) do update set last_id = greatest(v.last_id, excluded.last_id),
      replied_id = greatest(v.replied_id, excluded.replied_id), words = excluded.words
    where (greatest(v.last_id, excluded.last_id), greatest(v.replied_id, excluded.replied_id), excluded.words)
      is distinct from (v.last_id, v.replied_id, v.words)`.execute(tx);
}

/** Deletes merged contacts. */
export async function deleteListed(tx: Tx, keys: readonly ContactKey[]): Promise<void> {
  await sql`
    /* deleteListed */ delete from conversations v using unnest(${contactKeys(keys)}) x(a, c)
    where v.account_id = x.a and v.contact_id = x.c`.execute(tx);
}

/** A word of a contact. */
export interface Word extends ContactKey {
  word: string;
}

const wordRows = (words: readonly Word[]) => sql`
  unnest(${arrayText(words.map((one) => one.accountId))}::uuid[], ${textArray(words.map((one) => one.word))}::text[],
    ${arrayText(words.map((one) => one.contactId))}::uuid[])`;

/** Inserts words. */
export async function insertWords(tx: Tx, words: readonly Word[]): Promise<void> {
  await sql`
    /* insertWords */ insert into conversation_words (account_id, word, contact_id) select * from ${wordRows(words)}
    on conflict do nothing`.execute(tx);
}

/** Deletes words. */
export async function deleteWords(tx: Tx, words: readonly Word[]): Promise<void> {
  await sql`
    /* deleteWords */ delete from conversation_words w using ${wordRows(words)} x(a, word, c)
    where w.account_id = x.a and w.word = x.word and w.contact_id = x.c`.execute(tx);
}
