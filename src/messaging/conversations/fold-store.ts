// Tables conversations, conversation_words and conversation_changes: writing what lists of contacts are sorted and searched by.
import { sql } from 'kysely';
import { arrayText, textArray } from '../../db/array-text.ts';
import type { Tx } from '../../db/db.ts';
import type { ContactKey } from '../contacts/contacts-store.ts';

/** An arbitrary number that no other lock of its class uses. */
const foldLock = sql.raw('1128813383, 46');

/** Locks folding until `tx` ends; false if another process is folding: an older reading must not replace a newer one. */
export async function lockFolding(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    /* lockConversations */ select pg_try_advisory_xact_lock(${foldLock}) as locked`.execute(tx);
  return rows[0]?.locked ?? false;
}

/** A recorded change of a contact. */
export interface Change extends ContactKey {
  /** If all that changed is that they wrote this message. */
  lastId: string | null;
}

/** Deletes up to `limit` recorded changes, and returns them: a contact may occur more than once. */
export async function takeChanged(tx: Tx, limit: number): Promise<Change[]> {
  const { rows } = await sql<Change>`
    /* takeChanged */ delete from conversation_changes
    where ctid = any(array(select ctid from conversation_changes limit ${limit}))
    returning account_id as "accountId", contact_id as "contactId", last_id as "lastId"`.execute(tx);
  return rows;
}

/** Moves contacts to these last messages, which must be given, unless a newer one is there. Returns those that are listed. */
export async function moveListed(tx: Tx, moves: readonly Change[]): Promise<ContactKey[]> {
  const { rows } = await sql<ContactKey>`
    /* moveListed */ update conversations v set last_id = greatest(v.last_id, x.last_id)
    from unnest(${arrayText(moves.map((one) => one.accountId))}::uuid[], ${arrayText(moves.map((one) => one.contactId))}::uuid[],
      ${arrayText(moves.map((one) => one.lastId))}::uuid[]) x(a, c, last_id)
    where v.account_id = x.a and v.contact_id = x.c
    returning v.account_id as "accountId", v.contact_id as "contactId"`.execute(tx);
  return rows;
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

const rowsOf = (keys: readonly ContactKey[]) => sql`
  unnest(${arrayText(keys.map((key) => key.accountId))}::uuid[], ${arrayText(keys.map((key) => key.contactId))}::uuid[])`;

/** Reads contacts. */
export async function readChanged(tx: Tx, keys: readonly ContactKey[]): Promise<ChangedContact[]> {
  const { rows } = await sql<ChangedContact>`
    /* readChanged */ select x.a as "accountId", x.c as "contactId", p.id is not null as exists, p.name, p.last_reply_id as "lastReplyId",
      array(select i.identity from contact_identities i where i.contact_id = x.c and i.account_id = x.a) as identities,
      (select r.id from contact_identities i cross join lateral (
          select id from received_messages m where m.person = i.identity and m.account_id = x.a order by m.id desc limit 1) r
        where i.contact_id = x.c and i.account_id = x.a order by r.id desc limit 1) as "lastReceivedId",
      coalesce((select words from conversations v where v.account_id = x.a and v.contact_id = x.c), '{}') as words
    from ${rowsOf(keys)} x(a, c) left join contacts p on p.account_id = x.a and p.id = x.c`.execute(tx);
  return rows;
}

const lowestId = '00000000-0000-0000-0000-000000000000';

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
    select a, c, last_id, coalesce(replied_id, ${lowestId}), string_to_array(words, E'\n')
    from unnest(${arrayText(listed.map((one) => one.accountId))}::uuid[], ${arrayText(listed.map((one) => one.contactId))}::uuid[],
      ${arrayText(listed.map((one) => one.lastId))}::uuid[], ${arrayText(listed.map((one) => one.repliedId))}::uuid[],
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
    /* deleteListed */ delete from conversations v using ${rowsOf(keys)} x(a, c)
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
