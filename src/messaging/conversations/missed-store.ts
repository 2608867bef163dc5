// Contacts that processes of an earlier release changed: before migration 0049, statements did not append them to conversation_changes, and before 0055 no newest reply was kept with their conversation.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import { uuidSeconds } from '../../db/uuid-seconds.ts';
import { insertChanged } from '../contacts/changed-contacts-store.ts';
import { messageKind } from '../sending/message.ts';

/** A person may be replied to for a day after their message; the rest is how long a program counts as seen. */
const repliedHours = 26;
const repliedSince = sql`now() - ${sql.lit(repliedHours)} * interval '1 hour'`;

/** Writes the newest replies of the last day that are not with their contacts, and records these contacts. */
export async function recordMissedReplies(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    /* recordMissedReplies */ with talked as (
      select distinct account_id, contact_id from contact_windows where last_received_at > ${repliedSince}),
    replied as (
      update contacts c set last_reply_id = x.id
      from talked t cross join lateral (
        select r.id from contact_identities i cross join lateral (
          (select m.id from messages m
            where m.phone = i.identity and m.account_id = i.account_id and m.kind = ${sql.lit(messageKind.reply)}
              and ${uuidSeconds(sql`m.id`)} > extract(epoch from ${repliedSince})
            order by m.id desc limit 1)
          union all
          (select m.id from user_id_messages u join messages m on m.account_id = u.account_id and m.id = u.message_id
            where u.account_id = i.account_id and u.user_id = substr(i.identity, 3) and i.identity like 'u:%'
              and m.kind = ${sql.lit(messageKind.reply)}
            order by m.id desc limit 1)) r
        where i.contact_id = t.contact_id and i.account_id = t.account_id order by r.id desc limit 1) x
      where c.account_id = t.account_id and c.id = t.contact_id and (c.last_reply_id is null or c.last_reply_id < x.id)
      returning c.account_id, c.id)
    ${insertChanged(sql`select account_id, id, null from replied`)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Records contacts that are not listed, have a newer message or reply than they are listed by, or were merged into another one. */
export async function recordMissedContacts(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    /* recordMissedContacts */ ${insertChanged(sql`
      select coalesce(c.account_id, v.account_id), coalesce(c.id, v.contact_id), null
      from contacts c full join conversations v on v.account_id = c.account_id and v.contact_id = c.id
      left join (
        select account_id, contact_id, max(last_received_at) as at from contact_windows group by account_id, contact_id) w
        on w.account_id = c.account_id and w.contact_id = c.id
      where v.contact_id is null or c.id is null or v.replied_id is null or c.last_reply_id > v.replied_id
        or (w.at is not null and (v.last_id is null or extract(epoch from w.at) > ${uuidSeconds(sql`v.last_id`)}))`)}`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
