// Conditions and times of sends that several statements of campaigns share.
import { type RawBuilder, sql } from 'kysely';
import { versionOf } from '../templates/store.ts';

/** True if the recipients of the send `s` were checked against the template `t` as it is; null counts as false. */
export const isOfVersion = sql`coalesce(${versionOf(sql`t.components_changed_at`)} = s.checked_version, false)`;

/** The queued and dispatching messages `m` of a send, to come after `from`. No plan may enter by the send: all of its messages may have been sent. */
export const queuedOf = (
  send: Record<'sender_id' | 'id' | 'account_id', RawBuilder<unknown>>,
) => sql`messages m
  where m.sender_id = ${send.sender_id} and m.priority = any('{0,1,2}') and m.due_at is not null
    and (m.send_id = ${send.id}) is true and m.account_id = ${send.account_id}`;

const defaultSeconds = sql.lit(24 * 3_600);

/** How long a send lives from its start: a day if it was made without a time. */
export const timeToLive = sql`coalesce(expires_in, ${defaultSeconds}) * interval '1 second'`;
