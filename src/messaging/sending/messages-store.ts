// Sends and messages as callers look them up.
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';
import { type MessageError, state } from './message.ts';

export type SendRow = Selectable<DB['sends']>;

export type MessageRow = Omit<Selectable<DB['messages']>, 'metadata' | 'error'> & {
  metadata: Record<string, string> | null;
  error: MessageError | null;
};

export interface MessageFilter {
  sendId?: string | undefined;
  state?: number | undefined;
  phone?: string | undefined;
  templateId?: string | undefined;
  wamid?: string | undefined;
  /** The least and the least not wanted id: ids begin with the time of their making. */
  fromId?: string | undefined;
  toId?: string | undefined;
  /** Only messages older than this one. */
  beforeId?: string | undefined;
}

/** How many messages one page looks through for a state or template, which no index holds: some 50 ms. */
const lookedThroughMax = 20_000;

export interface FoundMessages {
  rows: MessageRow[];
  /** The last message that was looked at, if the search ended before the list did: the next page goes on from there. */
  lookedTo: string | undefined;
}

/**
 * Up to `limit` messages of the account, newest first. A send, a phone, the platform's id and failure are met by
 * index; for any other state, and for a template, a bounded number of messages is looked through, so that a page is
 * never slow, however many there are and however few fit.
 */
export async function listMessages(
  db: Db,
  accountId: string,
  filter: MessageFilter,
  limit: number,
  lookedThrough = lookedThroughMax,
): Promise<FoundMessages> {
  const isNarrow = Boolean(filter.sendId || filter.phone || filter.wamid);
  const isSparse =
    !isNarrow &&
    (Boolean(filter.templateId) || (filter.state !== undefined && filter.state !== state.failed));
  const within = byIndex(db, accountId, filter).orderBy('id', 'desc');
  const looked = isSparse ? within.limit(lookedThrough) : within;
  let query = db.selectFrom(looked.selectAll().as('m')).selectAll();
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.templateId) query = query.where('template_id', '=', filter.templateId);
  const rows = (await query.orderBy('id', 'desc').limit(limit).execute()) as unknown as MessageRow[];
  if (!isSparse || rows.length === limit) return { rows, lookedTo: undefined };
  const last = await within
    .select('id')
    .offset(lookedThrough - 1)
    .limit(1)
    .executeTakeFirst();
  return { rows, lookedTo: last?.id };
}

function byIndex(db: Db, accountId: string, filter: MessageFilter) {
  let query = db.selectFrom('messages').where('account_id', '=', accountId);
  if (filter.state === state.failed) query = query.where('failed_at', 'is not', null);
  if (filter.sendId) query = query.where('send_id', '=', filter.sendId);
  if (filter.phone) query = query.where('phone', '=', filter.phone);
  if (filter.wamid) query = query.where('wamid', '=', filter.wamid);
  if (filter.fromId) query = query.where('id', '>=', filter.fromId);
  if (filter.toId) query = query.where('id', '<', filter.toId);
  if (filter.beforeId) query = query.where('id', '<', filter.beforeId);
  return query;
}

/** The account's message with that id. */
export async function findMessage(db: Db, accountId: string, id: string): Promise<MessageRow | undefined> {
  const row = await db
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row as unknown as MessageRow | undefined;
}

/** The account's send with that id. */
export async function findSend(db: Db, accountId: string, id: string): Promise<SendRow | undefined> {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** How many messages of a send are in each state. */
export async function countByState(
  db: Db,
  accountId: string,
  sendId: string,
): Promise<{ state: number; n: number }[]> {
  const { rows } = await sql<{ state: number; n: number }>`
    select state, count(*)::int n from messages
    where send_id = ${sendId} and account_id = ${accountId} group by state order by state`.execute(db);
  return rows;
}

export interface ResultRow {
  id: string;
  wamid: string | null;
  phone: string;
  name: string | null;
  state: number;
  error: MessageError | null;
}

/** A send's messages in the order of its recipients. */
export async function listResults(db: Db, accountId: string, sendId: string): Promise<ResultRow[]> {
  const { rows } = await sql<ResultRow>`
    select id, wamid, phone, name, state, error from messages
    where send_id = ${sendId} and account_id = ${accountId} order by position`.execute(db);
  return rows;
}
