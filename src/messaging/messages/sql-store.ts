// SQL fragments shared by the statements on messages: constants by name, arrays of keys, and the conditions of a call.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import { isGatewayHeld } from '../../db/gateway-state.ts';
import type { DB } from '../../db/schema.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { type MessageKey, messageKind, ownErrors, stageBit, state } from './message.ts';
import { authenticationPriority, marketingPriority, replyPriority } from './priority.ts';
import { sendStage } from './send-stage.ts';

// Literals, not parameters: partial indexes and generic plans need to see the value.

/** A message's state as a literal: `m.state = ${stateSql.queued}`. */
export const stateSql = sqlConstants(state);

/** The kind of a message as a literal. */
const kindSql = sqlConstants(messageKind);

/** A bit of the column `emitted` as a literal. */
export const stageSql = sqlConstants(stageBit);

/** The stage of a send as a literal. */
export const sendStageSql = sqlConstants(sendStage);

/** The code of a gateway error as a literal, as `error ->> 'code'` returns it. */
export const errorCodeSql = { outcomeUnknown: sql.lit(String(ownErrors.outcomeUnknown.code)) };

/** Priorities as literals: of one-time codes, of replies, and the least urgent. */
export const authenticationSql = sql.lit(authenticationPriority);
export const replySql = sql.lit(replyPriority);
export const marketingSql = sql.lit(marketingPriority);

/** How long a lease of a message lasts. */
export const messageLeaseSeconds = 60;

/** Longer than any lease: what is queued and due later is delayed, not leased. */
export const leaseSecondsMax = messageLeaseSeconds + 1;

/** The duration of a lease. */
export const messageLease = sql`${sql.lit(messageLeaseSeconds)} * interval '1 second'`;

/** The account ids of messages, as the text of an array. */
export const accountIds = (keys: readonly MessageKey[]) => arrayText(keys.map((key) => key.accountId));

/** The ids of messages, as the text of an array. */
export const messageIds = (keys: readonly MessageKey[]) => arrayText(keys.map((key) => key.id));

/** The keys as a set of rows with the columns `x.a` (account) and `x.i` (message). */
export const keyRows = (keys: readonly MessageKey[]) =>
  sql`unnest(${accountIds(keys)}::uuid[], ${messageIds(keys)}::uuid[]) x(a, i)`;

/** The condition of `isTemplateHeld`, of a row of `templates`. */
export const isHeld = (template: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(${template}.status <> 'approved' or ${template}.recheck_since is not null or coalesce(${template}.limited_until > now(), false))`;

/**
 * True while the template is not approved, its category is limited, or its queued messages are being checked. A deleted template holds nothing: the platform decides what becomes of its
 * messages. A scalar subquery, so that no plan can start from `templates`.
 */
export const isTemplateHeld = (templateId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`((select ${isHeld(sql`t`)} from templates t where t.id = ${templateId}) is true)`;

/** True if the message `m` is a reply. */
export const isReply: RawBuilder<boolean> = sql`m.kind = ${kindSql.reply}`;

/**
 * True if the sender is halted. `spared`: true for a message that leaves although templates are halted: a reply; default: false.
 */
export const isSenderHalted = (
  senderId: RawBuilder<unknown>,
  spared: RawBuilder<boolean> = sql`false`,
): RawBuilder<boolean> =>
  sql`((select n.halted_at is not null and not (n.halt_spares_replies and ${spared}) from senders n where n.id = ${senderId}) is true)`;

/** True if the send was cancelled, is paused, or was paused and resumes at its time. */
const isSendStopped = (accountId: RawBuilder<unknown>, sendId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`((select c.cancelled_at is not null or c.paused_at is not null or c.stage = ${sendStageSql.scheduled} from sends c where c.account_id = ${accountId} and c.id = ${sendId}) is true)`;

/**
 * True if the person with this phone opted out of messages of this priority: of marketing, or of every template but authentication. A scalar
 * subquery of one index probe, which authentication messages never make. `current`: the priority to compare with, computed only for people who opted
 * out; default: the same.
 */
export const isOptedOut = (
  accountId: RawBuilder<unknown>,
  phone: RawBuilder<unknown>,
  priority: RawBuilder<unknown>,
  current = priority,
): RawBuilder<boolean> =>
  sql`(case when ${priority} > ${authenticationSql} then (select o.opt_out + ${current} > ${marketingSql}
    from contact_identities o where o.account_id = ${accountId} and o.identity = ${phone} and o.opt_out > 0) is true else false end)`;

/** The priority of the message `m`, or that of marketing if its template has become marketing (as `priorityOf`). */
const currentPriority = sql`greatest(m.priority, (
  select ${marketingSql} from templates t where t.id = m.template_id and upper(t.category) not in ('AUTHENTICATION', 'UTILITY')))`;

/** True if the recipient of the message `m` opted out of it. Replies are for everybody who writes. */
export const isUnwanted: RawBuilder<boolean> = sql`(m.kind = ${kindSql.template} and ${isOptedOut(sql`m.account_id`, sql`m.phone`, sql`m.priority`, currentPriority)})`;

/** True if the message `m` is queued and nothing forbids its call. `beginDispatch` requires it. */
export const isCallable: RawBuilder<boolean> = sql`(not ${isGatewayHeld} and m.state = ${stateSql.queued} and m.expires_at > now()
  and not ${isSenderHalted(sql`m.sender_id`, isReply)} and not ${isTemplateHeld(sql`m.template_id`)}
  and not ${isSendStopped(sql`m.account_id`, sql`m.send_id`)}
  and not ${isUnwanted})`;

type KeptRow = Omit<Selectable<DB['messages']>, 'expires_at'> & { expires_at: Date | null };

/**
 * The account's messages that are kept apart from the queue, as rows of `messages`: those of one send, else of its open sends,
 * which are few. `expires_at` is null in a draft.
 */
export const keptMessages = (accountId: string, sendId?: string): RawBuilder<KeptRow> => sql<KeptRow>`
  (select r.account_id, r.id, 0::smallint as kind, r.send_id, s.sender_id, s.template_id, r.phone, null::text as user_id, r.name, r.content, r.media_id, r.metadata,
    r.position, coalesce(s.priority, 2)::smallint as priority, ${stateSql.queued}::smallint as state, 0::smallint as emitted, 0::smallint as was,
    0::smallint as implied, r.attempts, null::timestamptz as due_at, s.expires_at, null::text as wamid, r.error,
    null::text as price_category, null::boolean as billable, null::timestamptz as accepted_at, null::timestamptz as sent_at,
    null::timestamptz as delivered_at, null::timestamptz as read_at, null::timestamptz as failed_at, null::timestamptz as was_failed_at,
    null::integer as leased_by
  from sends s join send_recipients r on r.send_id = s.id
  where s.account_id = ${accountId} and ${sendId === undefined ? sql`s.is_open` : sql`s.id = ${sendId}`})`;
