// Table messages: lookups for callers, reports and cancellations.
import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { isUuid, maxUuid } from '../../base/ids.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';
import { type MessageError, type MessageKey, sortById, state } from './message.ts';
import type { SendRow } from './sends-store.ts';
import { keptMessages, keyRows, stateSql } from './sql-store.ts';

export type MessageRow = Omit<Selectable<DB['messages']>, 'metadata' | 'error'> & {
  metadata: Record<string, string> | null;
  error: MessageError | null;
};

/** A message as it is shown; `expires_at` is null for a recipient of a draft. */
export type ShownMessage = Omit<MessageRow, 'expires_at'> & { expires_at: Date | null };

export interface MessageFilter {
  send?: Pick<SendRow, 'id' | 'first_recipient_id' | 'last_recipient_id'> | undefined;
  state?: number | undefined;
  phone?: string | undefined;
  templateId?: string | undefined;
  /** Of `messageKind`; undefined: every kind. */
  kind?: number | undefined;
  wamid?: string | undefined;
  senderId?: string | undefined;
  /** A part of the recipient's name. */
  name?: string | undefined;
  /** An entry of the metadata, separated at the first `=`. */
  metadata?: { key: string; value: string } | undefined;
  /** The first id, and the first id after the range: ids start with their creation time. */
  fromId?: string | undefined;
  toId?: string | undefined;
  /** Only messages older than this one. */
  beforeId?: string | undefined;
}

const shownColumns = [
  'account_id',
  'id',
  'kind',
  'send_id',
  'sender_id',
  'template_id',
  'phone',
  'user_id',
  'name',
  'content',
  'media_id',
  'metadata',
  'position',
  'priority',
  'state',
  'emitted',
  'was',
  'implied',
  'attempts',
  'due_at',
  'leased_by',
  'expires_at',
  'wamid',
  'error',
  'price_category',
  'billable',
  'accepted_at',
  'sent_at',
  'delivered_at',
  'read_at',
  'failed_at',
  'was_failed_at',
] as const satisfies (keyof ShownMessage)[];

/** Messages that one page scans for what no index covers: about 50 ms. */
const scannedMax = 20_000;

export interface FoundMessages {
  rows: ShownMessage[];
  /** The last scanned message if the scan ended before the list did: the next page starts there. */
  scannedTo: string | undefined;
}

/**
 * Lists up to `limit` messages of the account, newest first; those that are kept apart from the queue only of one send. Indexes
 * cover a send, a phone, the platform's id and failures; for anything else the scan is bounded, so that no page is slow.
 */
export async function listMessages(
  db: Db,
  accountId: string,
  filter: MessageFilter,
  limit: number,
  scanLimit = scannedMax,
): Promise<FoundMessages> {
  const { send } = filter;
  // the ids of its recipients lie between two ids, so that no page sorts all of them
  const isLarge = typeof send?.last_recipient_id === 'string';
  const isNarrow = Boolean((send && !isLarge) || filter.phone || filter.wamid);
  const isSparse =
    !isNarrow &&
    (isLarge ||
      Boolean(filter.templateId ?? filter.senderId ?? filter.name ?? filter.metadata) ||
      filter.kind !== undefined ||
      (filter.state !== undefined && filter.state !== state.failed));
  const scan = (source: RawBuilder<unknown>) => {
    const query = byIndex(db, source, accountId, filter).select(shownColumns).orderBy('id', 'desc');
    return isSparse ? query.limit(scanLimit) : query;
  };
  const queued = scan(sql`messages`);
  const within = isLarge
    ? scan(sql`(${queued} union all ${scan(keptMessages(accountId, send?.id))})`)
    : queued;
  const rows = await matching(db.selectFrom(within.as('m')), filter)
    .select(shownColumns)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  if (!isSparse || rows.length === limit) return { rows, scannedTo: undefined };
  const last = await within
    .offset(scanLimit - 1)
    .limit(1)
    .executeTakeFirst();
  return { rows, scannedTo: last?.id };
}

type MessageQuery = SelectQueryBuilder<{ m: ShownMessage }, 'm', unknown>;

function byIndex(
  db: Db,
  source: RawBuilder<unknown>,
  accountId: string,
  filter: MessageFilter,
): MessageQuery {
  let query: MessageQuery = db
    .selectFrom((source as RawBuilder<ShownMessage>).as('m'))
    .where('account_id', '=', accountId);
  if (filter.state === state.failed) query = query.where('failed_at', 'is not', null);
  if (filter.send) query = inSend(query, filter.send);
  if (filter.phone) query = query.where('phone', '=', filter.phone);
  if (filter.wamid) query = query.where('wamid', '=', filter.wamid);
  if (filter.fromId) query = query.where('id', '>=', filter.fromId);
  if (filter.toId) query = query.where('id', '<', filter.toId);
  if (filter.beforeId) query = query.where('id', '<', filter.beforeId);
  return query;
}

/** A large send by the range of its ids, so that its messages come in their order. */
function inSend(query: MessageQuery, send: NonNullable<MessageFilter['send']>): MessageQuery {
  if (send.last_recipient_id === null) return query.where('send_id', '=', send.id);
  const from = send.first_recipient_id;
  return (from === null ? query : query.where('id', '>=', from)).where('id', '<=', send.last_recipient_id);
}

function matching(query: MessageQuery, filter: MessageFilter): MessageQuery {
  if (filter.send) query = query.where('send_id', '=', filter.send.id);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.templateId) query = query.where('template_id', '=', filter.templateId);
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
  if (filter.senderId) query = query.where('sender_id', '=', filter.senderId);
  if (filter.name) query = query.where(sql<boolean>`position(lower(${filter.name}) in lower(name)) > 0`);
  if (filter.metadata) query = query.where(hasEntry(filter.metadata));
  return query;
}

/** With another `=` in the value, any of them may end the key. */
const hasEntry = ({ key, value }: { key: string; value: string }) =>
  value.includes('=')
    ? sql<boolean>`exists (select from jsonb_each_text(metadata) where key || '=' || value = ${`${key}=${value}`})`
    : sql<boolean>`metadata ->> ${key} = ${value}`;

/** Lists messages to a person with any of these numbers and the platform's ids, newest first. */
export async function listMessagesTo(
  db: Db,
  accountId: string,
  { phones, userIds, beforeId }: { phones: string[]; userIds: string[]; beforeId: string | undefined },
  limit: number,
): Promise<MessageRow[]> {
  const before = beforeId ?? maxUuid;
  const { rows } = await sql<MessageRow>`
    select * from (
      (select m.* from messages m
        where m.account_id = ${accountId} and m.phone = any (${phones}::text[]) and m.id < ${before}
        order by m.id desc limit ${limit})
      union all
      (select m.* from user_id_messages u join messages m on m.account_id = u.account_id and m.id = u.message_id
        where u.account_id = ${accountId} and u.user_id = any (${userIds}::text[]) and u.message_id < ${before}
        order by u.message_id desc limit ${limit})) x
    order by id desc limit ${limit}`.execute(db);
  return rows;
}

/** Finds a message of the account. */
export async function findMessage(db: Db, accountId: string, id: string): Promise<MessageRow | undefined> {
  const row = await db
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row as unknown as MessageRow | undefined;
}

/** Finds a message that is kept apart from the queue. */
export async function findKeptMessage(
  db: Db,
  accountId: string,
  id: string,
): Promise<ShownMessage | undefined> {
  const { rows } = await sql<ShownMessage>`
    select * from ${keptMessages(accountId)} m where m.id = ${id}`.execute(db);
  return rows[0];
}

/** Finds messages of the account. */
export async function findMessages(db: Db, accountId: string, ids: readonly string[]): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select m.* from unnest(${ids.filter(isUuid)}::uuid[]) x(id) join messages m on m.account_id = ${accountId} and m.id = x.id`.execute(
    db,
  );
  return rows;
}

/** A message as the response to a send reports it. */
export interface ResultRow {
  id: string;
  wamid: string | null;
  phone: string;
  name: string | null;
  state: number;
  error: MessageError | null;
}

/** Lists a send's messages in the order of its recipients, with those that are kept apart from the queue. */
export async function listResults(db: Db, accountId: string, sendId: string): Promise<ResultRow[]> {
  const { rows } = await sql<ResultRow>`
    select id, wamid, phone, name, state, error from (
      select id, wamid, phone, name, state, error, position from messages
      where send_id = ${sendId} and account_id = ${accountId}
      union all
      select id, null, phone, name, ${stateSql.queued}, null, position from send_recipients where send_id = ${sendId}) x
    order by position, id`.execute(db);
  return rows;
}

/** Returns the ids of those messages that exist. */
export async function existingMessages(db: Db | Tx, keys: MessageKey[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select m.id from ${keyRows(keys)}
    join messages m on m.account_id = x.a and m.id = x.i`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/** Finds messages by the platform's reference, for reports without our correlation id. */
export async function findByMessageRef(
  db: Db | Tx,
  accountIds: string[],
  messageRefs: string[],
): Promise<{ account_id: string; id: string; wamid: string }[]> {
  const { rows } = await sql<{ account_id: string; id: string; wamid: string }>`
    select account_id, id, wamid from messages where wamid = any(${messageRefs}::text[]) and account_id = any(${accountIds}::uuid[])`.execute(
    db,
  );
  return rows;
}

/** Finds up to `limit` queued messages of a send, sorted by id. */
export async function findQueuedOfSend(
  db: Db,
  { accountId, sendId }: { accountId: string; sendId: string },
  limit: number,
): Promise<MessageKey[]> {
  const { rows } = await sql<MessageKey>`
    select account_id as "accountId", id from messages
    where send_id = ${sendId} and account_id = ${accountId} and state = ${stateSql.queued} limit ${limit}`.execute(
    db,
  );
  return sortById(rows);
}

/** Counts the account's messages without a known outcome, up to `limit`. */
export async function countQueued(db: Db, accountId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int n from (select 1 from senders s join messages m on m.sender_id = s.id
      where s.account_id = ${accountId} and m.due_at is not null limit ${limit}) x`.execute(db);
  return rows[0]?.n ?? 0;
}
