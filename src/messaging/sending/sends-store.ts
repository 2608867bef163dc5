// Table sends and its cancellations: inserts a send with its messages, finds its template and sender, cancels it.
import { type Selectable, sql } from 'kysely';
import { arrayText, textArray } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { jsonLines } from '../../db/json-lines.ts';
import type { DB } from '../../db/schema.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import { ownProviderStatus } from '../templates/status.ts';
import type { TemplateRow } from '../templates/store.ts';
import { insertSendCounts } from './message-counts-store.ts';
import { isHeld, isOptedOut, stateSql } from './messages-sql-store.ts';

/** The sender's columns that a send needs. */
export interface ResolvedSender {
  id: string;
  business_account_id: string;
  messages_per_second: number;
  halted_at: Date | null;
}

/** A template with the sender that would send it. */
export interface ResolvedTemplate {
  template: TemplateRow;
  sender: ResolvedSender | undefined;
}

/**
 * Finds the account's template, and the sender with that id; without an id the default sender of the template's business
 * account, else its oldest. Undefined if there is no such template.
 */
export async function findTemplateWithSender(
  db: Db | Tx,
  accountId: string,
  templateId: string,
  senderId: string | undefined,
): Promise<ResolvedTemplate | undefined> {
  type Row = TemplateRow & {
    sender_id: string | null;
    sender_waba: string;
    sender_pace: number;
    sender_halted_at: Date | null;
  };
  const { rows } = await sql<Row>`
    select t.*, s.id as sender_id, s.business_account_id as sender_waba, s.messages_per_second as sender_pace,
      s.halted_at as sender_halted_at
    from templates t left join lateral (
      select id, business_account_id, messages_per_second, halted_at from senders n
      where n.account_id = t.account_id and case when ${senderId ?? null}::uuid is not null then n.id = ${senderId ?? null}::uuid
        else t.business_account_id is null or n.business_account_id = t.business_account_id end
      order by n.is_default desc, n.id limit 1) s on true
    where t.account_id = ${accountId} and t.id = ${templateId}`.execute(db);
  const row = rows[0];
  if (!row) return undefined;
  const { sender_id: id, sender_waba, sender_pace, sender_halted_at, ...template } = row;
  const sender = id !== null && {
    id,
    business_account_id: sender_waba,
    messages_per_second: sender_pace,
    halted_at: sender_halted_at,
  };
  return { template, sender: sender || undefined };
}

export interface NewSend {
  accountId: string;
  id: string;
  senderId: string;
  templateId: string;
  templateName: string;
  language: string;
  total: number;
  /** When the components last changed, as the recipients were checked against them. */
  templateChangedAt?: Date | null;
  name?: string | undefined;
  /** True if the list of sends shows it without being asked for all. */
  listed?: boolean;
}

export interface NewMessage {
  id: string;
  phone: string;
  name: string | null;
  content: FilledTemplate;
  mediaId: string | null;
  metadata: Record<string, string> | null;
  /**
   * How the message is dispatched. `queued`: by any process that claims it. `leased`: by this process, within 60 s.
   * `dispatching`: by this process right after the commit; the insert also does the work of `beginDispatch`.
   */
  dispatchMode: 'queued' | 'leased' | 'dispatching';
}

/** A stored send. */
export interface InsertedSend {
  /** False if the sender was halted or the template held in the meantime; then every message is queued. */
  isOpen: boolean;
  /** The lease of the leased and dispatching messages; null if there are none. */
  lease: string | null;
  /** Messages to people who opted out, which are queued and never called: to be failed. */
  optedOut: string[];
}

/**
 * Inserts a send and its messages in one statement. Locks the sender against removal and the template against deletion.
 * Returns undefined and inserts nothing if either is gone, or the template is being deleted or has changed.
 */
export async function insertSend(
  db: Db | Tx,
  send: NewSend,
  messages: NewMessage[],
  common: { priority: number; expiresInSeconds: number; processId: number },
): Promise<InsertedSend | undefined> {
  const ids = arrayText(messages.map((one) => one.id));
  const phones = textArray(messages.map((one) => one.phone));
  const { rows } = await sql<{ n: number; is_open: boolean; lease: string | null; opted_out: string[] }>`
    /* insertSend */ with sender as (select id, halted_at is not null as is_halted from senders where id = ${send.senderId} for key share),
    template as (select id, ${isHeld(sql`templates`)} as is_held from templates where id = ${send.templateId}
      and provider_status is distinct from ${ownProviderStatus.pendingDeletion}
      and components_changed_at is not distinct from ${send.templateChangedAt ?? null}::timestamptz for key share),
    s as (
      insert into sends (account_id, id, sender_id, template_id, template_name, language, total, name, listed, priority, started_at,
        expires_in, expires_at)
      select ${send.accountId}, ${send.id}, sender.id, template.id, ${send.templateName}, ${send.language}, ${send.total},
        ${send.name ?? null}, ${send.listed ?? false}, ${common.priority}, now(), ${common.expiresInSeconds}::int,
        now() + ${common.expiresInSeconds} * interval '1 second'
      from sender, template returning account_id, id, sender_id, template_id),
    gate as (select not sender.is_halted and not template.is_held as is_open from sender, template),
    written as (
      insert into messages (account_id, id, send_id, sender_id, template_id, phone, name, content, media_id, metadata,
        position, priority, state, attempts, due_at, leased_by, expires_at)
      select s.account_id, x.id, s.id, s.sender_id, s.template_id, x.phone, x.name, x.content, x.media_id,
        x.metadata, x.position - 1, ${common.priority},
        case when x.dispatching and may_call then ${stateSql.dispatching} else ${stateSql.queued} end, (x.dispatching and may_call)::int,
        now() + case when x.leased and may_call then interval '60 seconds' else interval '0' end, case when not is_unwanted then ${common.processId}::int end,
        now() + ${common.expiresInSeconds} * interval '1 second'
      from s, gate, unnest(${ids}::uuid[], ${phones}::text[],
        ${textArray(messages.map((one) => one.name))}::text[], ${jsonLines(messages.map((one) => JSON.stringify(one.content)))}::jsonb[],
        ${arrayText(messages.map((one) => one.mediaId))}::uuid[],
        ${jsonLines(messages.map((one) => one.metadata && JSON.stringify(one.metadata)))}::jsonb[],
        ${arrayText(messages.map((one) => one.dispatchMode !== 'queued'))}::boolean[],
        ${arrayText(messages.map((one) => one.dispatchMode === 'dispatching'))}::boolean[])
        with ordinality x(id, phone, name, content, media_id, metadata, leased, dispatching, position)
        cross join lateral (select ${isOptedOut(sql`s.account_id`, sql`x.phone`, sql`${common.priority}::int`)} as is_unwanted offset 0) o
        cross join lateral (select is_open and not is_unwanted as may_call) g
      returning id, due_at, leased_by),
    counted as (${insertSendCounts(messages.length, common.priority)})
    select count(*)::int n, (select is_open from gate) is_open,
      (max(due_at) filter (where due_at > now()))::text lease,
      coalesce(jsonb_agg(id) filter (where leased_by is null), '[]') opted_out from written`.execute(db);
  const [row] = rows;
  return row && row.n > 0 ? { isOpen: row.is_open, lease: row.lease, optedOut: row.opted_out } : undefined;
}

export type SendRow = Selectable<DB['sends']>;

/** Finds a send of the account. */
export async function findSend(db: Db, accountId: string, id: string): Promise<SendRow | undefined> {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The template of a send, as it was named then. */
export interface SendName {
  template_name: string;
  language: string;
}

/** Finds the templates' names of these sends, by the ids of the sends. */
export async function findSendNames(
  db: Db,
  accountId: string,
  sendIds: readonly (string | null)[],
): Promise<Map<string, SendName>> {
  const { rows } = await sql<SendName & { id: string }>`
    select id, template_name, language from sends
    where account_id = ${accountId} and id = any(${[...new Set(sendIds.filter((id) => id !== null))]}::uuid[])`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export interface SendKey {
  accountId: string;
  sendId: string;
}

/**
 * Marks a send as cancelled: none of its messages is called afterwards. Leases the cancellation for `leaseSeconds`. Recipients
 * that are kept apart are due for the worker.
 */
export async function beginCancel(
  db: Db | Tx,
  { accountId, sendId }: SendKey,
  leaseSeconds: number,
): Promise<void> {
  await sql`
    with cancelled as (
      update sends set cancelled_at = coalesce(cancelled_at, now())
      where account_id = ${accountId} and id = ${sendId} returning account_id, id, is_open),
    feed as (
      insert into send_feeds (send_id, account_id, due_at) select id, account_id, now() from cancelled where is_open
      on conflict (send_id) do update set due_at = excluded.due_at)
    insert into send_cancellations (account_id, send_id, due_at)
    select account_id, id, now() + ${leaseSeconds} * interval '1 second' from cancelled
    on conflict (account_id, send_id) do update set due_at = excluded.due_at`.execute(db);
}

/** Leases one unfinished cancellation for `leaseSeconds`; undefined if none is due. */
export async function claimCancellation(db: Db, leaseSeconds: number): Promise<SendKey | undefined> {
  const { rows } = await sql<SendKey>`
    update send_cancellations c set due_at = now() + ${leaseSeconds} * interval '1 second' from (
      select account_id, send_id from send_cancellations where due_at <= now() order by due_at limit 1
      for update skip locked) x
    where c.account_id = x.account_id and c.send_id = x.send_id
    returning c.account_id as "accountId", c.send_id as "sendId"`.execute(db);
  return rows[0];
}

/** Makes the cancellation due again after `seconds`. */
export async function delayCancellation(
  db: Db,
  { accountId, sendId }: SendKey,
  seconds: number,
): Promise<void> {
  await sql`
    update send_cancellations set due_at = now() + ${seconds} * interval '1 second'
    where account_id = ${accountId} and send_id = ${sendId}`.execute(db);
}

/** Ends the cancellation; false while a message of the send is queued, or dispatching and so may be queued again. */
export async function endCancellation(db: Db, { accountId, sendId }: SendKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from send_cancellations where account_id = ${accountId} and send_id = ${sendId} and not exists (
      select from messages where send_id = ${sendId} and account_id = ${accountId} and state in (${stateSql.queued}, ${stateSql.dispatching}))`.execute(
    db,
  );
  return numAffectedRows !== 0n;
}
