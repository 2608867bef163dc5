// What keeps a queued message from being called: a halted number, a template that is not approved, a cancelled send. As conditions of SQL.
import { type RawBuilder, sql } from 'kysely';

/**
 * True if the platform does not take the template now. A template that is gone holds nothing: the platform says what
 * becomes of its messages. A subquery for each row: no join could be begun by it.
 */
export const isTemplateHeld = (templateId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`((select t.status <> 'approved' from templates t where t.id = ${templateId}) is true)`;

/** True if the number is halted. */
export const isSenderHalted = (senderId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`((select n.halted_at is not null from senders n where n.id = ${senderId}) is true)`;

/** True if the send was cancelled. */
const isSendCancelled = (accountId: RawBuilder<unknown>, sendId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`((select c.cancelled_at is not null from sends c where c.account_id = ${accountId} and c.id = ${sendId}) is true)`;

/** True if nothing forbids that the queued message `m` is called now. What marks messages asks for it. */
export const isCallable: RawBuilder<boolean> = sql`(m.state = 0 and m.expires_at > now()
  and not ${isSenderHalted(sql`m.sender_id`)} and not ${isTemplateHeld(sql`m.template_id`)}
  and not ${isSendCancelled(sql`m.account_id`, sql`m.send_id`)})`;
