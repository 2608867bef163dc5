// Contacts that processes of an earlier release changed: before migration 0049, statements did not append them to conversation_changes, and before 0055 no newest reply was kept with their conversation.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import { uuidSeconds } from '../../db/uuid-seconds.ts';
import { insertChanged } from '../contacts/changed-contacts-store.ts';
import { type ContactKey, contactKeys } from '../contacts/contacts-store.ts';
import { messageKind } from '../messages/message.ts';

const keyRows = (keys: readonly ContactKey[]) => sql`unnest(${contactKeys(keys)}) k(account_id, contact_id)`;

/** Reads up to `limit` contacts after a key, in the order of their keys. */
export async function readContacts(db: Db, after: ContactKey, limit: number): Promise<ContactKey[]> {
  const { rows } = await sql<ContactKey>`
    select account_id as "accountId", id as "contactId" from contacts
    where (account_id, id) > (${after.accountId}::uuid, ${after.contactId}::uuid) order by account_id, id limit ${limit}::int`.execute(
    db,
  );
  return rows;
}

/** Reads up to `limit` contacts that are listed, after a key, in the order of their keys. */
export async function readListed(db: Db, after: ContactKey, limit: number): Promise<ContactKey[]> {
  const { rows } = await sql<ContactKey>`
    select account_id as "accountId", contact_id as "contactId" from conversations
    where (account_id, contact_id) > (${after.accountId}::uuid, ${after.contactId}::uuid)
    order by account_id, contact_id limit ${limit}::int`.execute(db);
  return rows;
}

/** A person may be replied to for a day after their message; the rest is how long a program counts as seen. */
const repliedHours = 26;
const repliedSince = sql`now() - ${sql.lit(repliedHours)} * interval '1 hour'`;

/** Writes the newest replies of the last day that are not with their contacts, and records these contacts. Returns how many. */
export async function recordMissedReplies(db: Db, keys: readonly ContactKey[]): Promise<number> {
  const { numAffectedRows } = await sql`
    /* recordMissedReplies */ with talked as (
      select distinct w.account_id, w.contact_id from ${keyRows(keys)}
      join contact_windows w on w.account_id = k.account_id and w.contact_id = k.contact_id
      where w.last_received_at > ${repliedSince}),
    replied as (
      update contacts c set last_reply_id = x.id
      from (
        select t.account_id, t.contact_id, r.id from talked t cross join lateral (
          select y.id from contact_identities i cross join lateral (
            (select m.id from messages m
              where m.phone = i.identity and m.account_id = i.account_id and m.kind = ${sql.lit(messageKind.reply)}
                and ${uuidSeconds(sql`m.id`)} > extract(epoch from ${repliedSince})
              order by m.id desc limit 1)
            union all
            (select m.id from user_id_messages u join messages m on m.account_id = u.account_id and m.id = u.message_id
              where u.account_id = i.account_id and u.user_id = substr(i.identity, 3) and i.identity like 'u:%'
                and m.kind = ${sql.lit(messageKind.reply)}
              order by m.id desc limit 1)) y
          where i.contact_id = t.contact_id and i.account_id = t.account_id order by y.id desc limit 1) r) x
      where c.account_id = x.account_id and c.id = x.contact_id and (c.last_reply_id is null or c.last_reply_id < x.id)
      returning c.account_id, c.id)
    ${insertChanged(sql`select account_id, id, null::uuid from replied`)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Records those contacts that are not listed, or have a newer message or reply than they are listed by. Returns how many. */
export async function recordMissedContacts(db: Db, keys: readonly ContactKey[]): Promise<number> {
  const { numAffectedRows } = await sql`
    /* recordMissedContacts */ ${insertChanged(sql`
      select k.account_id, k.contact_id, null::uuid from ${keyRows(keys)}
      join contacts c on c.account_id = k.account_id and c.id = k.contact_id
      left join conversations v on v.account_id = k.account_id and v.contact_id = k.contact_id
      cross join lateral (
        select max(last_received_at) as at from contact_windows
        where account_id = k.account_id and contact_id = k.contact_id) w
      where v.contact_id is null or v.replied_id is null or c.last_reply_id > v.replied_id
        or (w.at is not null and (v.last_id is null or extract(epoch from w.at) > ${uuidSeconds(sql`v.last_id`)}))`)}`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}

/** Records those listed contacts that were merged into another one. Returns how many. */
export async function recordMerged(db: Db, keys: readonly ContactKey[]): Promise<number> {
  const { numAffectedRows } = await sql`
    /* recordMerged */ ${insertChanged(sql`
      select k.account_id, k.contact_id, null::uuid from ${keyRows(keys)}
      where not exists (select from contacts c where c.account_id = k.account_id and c.id = k.contact_id)`)}`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
