// Conversations that can be replied to, and replies in the table messages.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { isGatewayHeld } from '../../db/gateway-state.ts';
import { insertChanged } from '../contacts/changed-contacts-store.ts';
import { windowMs } from '../contacts/window.ts';
import { paceWindowsMs } from '../dispatch/pacer.ts';
import { reserveSlotsOf } from '../dispatch/paces-store.ts';
import { countedColumns, insertQueuedCounts } from '../messages/counts-store.ts';
import { begunByInsert } from '../messages/leased-by.ts';
import { messageKind, type StoredReply } from '../messages/message.ts';
import { isSenderHalted, messageLease, stateSql } from '../messages/sql-store.ts';
import type { InsertedSend, NewMessage } from '../sending/new-sends-store.ts';

/** How long after a person's message it can be replied to. */
const windowLength = sql.lit(`${windowMs / 1000} seconds`);
const closesAt = sql`w.last_received_at + ${windowLength}::interval`;

/**
 * The contact with an identity. A scalar subquery, so that every plan enters the windows by the contact: with a join, the planner of an
 * empty database read all windows of the account.
 */
const contactWith = (accountId: string, identity: string) =>
  sql`(select i.contact_id from contact_identities i where i.account_id = ${accountId} and i.identity = ${identity})`;

/** A person, and one number that they wrote to. */
export interface Conversation {
  sender_id: string;
  contact_id: string;
  messages_per_second: number;
  /** True if not even replies leave. */
  is_halted: boolean;
  closes_at: Date;
  is_open: boolean;
  /** The platform's present id of the person. */
  user_id: string | null;
}

/** Finds the person's conversation with a number, or with the number that they wrote to last. */
export async function findConversation(
  db: Db,
  of: { accountId: string; identity: string; senderId: string | undefined },
): Promise<Conversation | undefined> {
  const { rows } = await sql<Conversation>`
    /* findConversation */ select n.id as sender_id, w.contact_id, n.messages_per_second, n.halted_at is not null and not n.halt_spares_replies as is_halted, ${closesAt} as closes_at,
      ${closesAt} > now() as is_open, c.user_id
    from contact_windows w
    join contacts c on c.account_id = w.account_id and c.id = w.contact_id
    join senders n on n.id = w.sender_id
    where w.account_id = ${of.accountId} and w.contact_id = ${contactWith(of.accountId, of.identity)}
      and (${of.senderId ?? null}::uuid is null or w.sender_id = ${of.senderId ?? null}::uuid)
    order by w.last_received_at desc limit 1`.execute(db);
  return rows[0];
}

export type InsertedReply = Pick<InsertedSend, 'isOpen' | 'lease' | 'firstInMs'> & {
  /** True if the reply got a slot and is dispatching. */
  isDispatching: boolean;
};

/** A reply to be stored; either `phone` or `userId` is set. */
export interface NewReply {
  accountId: string;
  id: string;
  senderId: string;
  /** The identity of the person whose window is checked. */
  identity: string;
  phone: string | null;
  userId: string | null;
  content: StoredReply;
  mediaId: string | null;
  metadata: Record<string, string> | null;
  priority: number;
  processId: number;
  dispatchMode: NewMessage['dispatchMode'];
}

/**
 * Inserts a reply that expires when the window closes. Locks the sender against removal. Returns undefined and inserts nothing if
 * the window has closed or the sender is gone.
 */
export async function insertReply(db: Db | Tx, reply: NewReply): Promise<InsertedReply | undefined> {
  const wantsSlot = reply.dispatchMode === 'dispatching';
  const isLeased = reply.dispatchMode !== 'queued';
  const { rows } = await sql<{ is_open: boolean; lease: string | null; first_in_ms: number | null }>`
    /* insertReply */ with sender as (select id from senders where id = ${reply.senderId} for key share),
    "window" as (
      select w.contact_id, ${closesAt} as closes_at from contact_windows w
      where w.account_id = ${reply.accountId} and w.contact_id = ${contactWith(reply.accountId, reply.identity)}
        and w.sender_id = ${reply.senderId}
        and ${closesAt} > now()),
    gate as (select id, not ${isSenderHalted(sql`sender.id`, sql`true`)} and not ${isGatewayHeld} as is_open from sender),
    slots as (${reserveSlotsOf(sql`(select gate.id, 1 as wanted from gate, "window" where is_open and ${wantsSlot}::boolean)`, paceWindowsMs.call)}),
    written as (
      insert into messages as m (account_id, id, kind, sender_id, phone, user_id, content, media_id, metadata, priority, state, attempts,
        due_at, leased_by, expires_at)
      select ${reply.accountId}::uuid, ${reply.id}::uuid, ${sql.lit(messageKind.reply)}, gate.id, ${reply.phone}, ${reply.userId},
        ${JSON.stringify(reply.content)}::jsonb, ${reply.mediaId}::uuid, ${reply.metadata && JSON.stringify(reply.metadata)}::jsonb,
        ${reply.priority},
        case when exists (select from slots) then ${stateSql.dispatching} else ${stateSql.queued} end, exists (select from slots)::int,
        now() + case when ${isLeased}::boolean and is_open then ${messageLease} else interval '0' end,
        case when exists (select from slots) then ${begunByInsert(reply.processId)}::int else ${reply.processId}::int end, "window".closes_at
      from gate, "window"
      returning m.id, m.user_id, m.due_at, ${countedColumns}),
    counted as (${insertQueuedCounts(sql`written`)}),
    replied as (
      update contacts c set last_reply_id = greatest(c.last_reply_id, written.id), read_at = greatest(c.read_at, now())
      from written, "window" where c.account_id = ${reply.accountId} and c.id = "window".contact_id
      returning c.account_id, c.id),
    changed as (${insertChanged(sql`select account_id, id, null from replied`)}),
    named as (
      insert into user_id_messages (account_id, user_id, message_id)
      select account_id, user_id, id from written where user_id is not null)
    select gate.is_open, case when ${isLeased}::boolean and gate.is_open then written.due_at::text end as lease, (select first_in_ms from slots)
    from written, gate`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { is_open: isOpen, lease, first_in_ms: firstInMs } = row;
  return { isOpen, lease, isDispatching: firstInMs !== null, firstInMs: firstInMs ?? 0 };
}
