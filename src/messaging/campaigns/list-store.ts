// Table sends: lists, and the progress of one send.
import { sql } from 'kysely';
import type { SendStateName } from '../../contract/campaigns.ts';
import type { Db } from '../../db/db.ts';
import type { SendRow } from '../messages/sends-store.ts';
import { sendStageSql, stateSql } from '../messages/sql-store.ts';

export interface SendFilter {
  /** Also plain sends. */
  all: boolean;
  state?: SendStateName | undefined;
  templateId?: string | undefined;
  senderId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Only sends older than this one. */
  beforeId?: string | undefined;
}

export type ListedSend = SendRow & { is_pending: boolean };

/** Sends that one page of a filtered list reads: of each it may count messages. */
const scannedMax = 2_000;

/**
 * True if messages of the send `s` are queued or being dispatched. The worker ends sends with a feed, so `is_open` decides
 * about them; another send has at most 1,000 messages.
 */
const isPending = sql`case when s.is_open then true when s.done_at is not null or s.cancelled_at is not null then false
  else exists (select from messages m where m.send_id = s.id and m.account_id = s.account_id
    and m.state in (${stateSql.queued}, ${stateSql.dispatching})) end`;

const inState: Record<SendStateName, ReturnType<typeof sql>> = {
  cancelled: sql`s.cancelled_at is not null`,
  draft: sql`s.cancelled_at is null and s.stage = ${sendStageSql.draft}`,
  done: sql`s.cancelled_at is null and s.stage <> ${sendStageSql.draft} and not x.is_pending`,
  paused: sql`s.cancelled_at is null and s.stage <> ${sendStageSql.draft} and s.paused_at is not null and x.is_pending`,
  scheduled: sql`s.cancelled_at is null and s.stage = ${sendStageSql.scheduled} and s.paused_at is null and x.is_pending`,
  sending: sql`s.cancelled_at is null and s.stage = ${sendStageSql.started} and s.paused_at is null and x.is_pending`,
};

/** More than lies between the time in the id of a send and `created_at` of its row, of another clock. */
const idSlack = sql`interval '1 minute'`;

/** The send was created from `from` until before `to`; its id decides about almost all others, by the index. */
function createdIn({ from, to }: SendFilter) {
  const after = sql`and created_at >= ${from}::timestamptz
    and id >= uuid7_floor(greatest(${from}::timestamptz - ${idSlack}, 'epoch'))`;
  const before = sql`and created_at < ${to}::timestamptz
    and id < uuid7_floor(greatest(${to}::timestamptz + ${idSlack}, 'epoch'))`;
  return sql`${from === undefined ? sql`` : after} ${to === undefined ? sql`` : before}`;
}

/** Lists up to `limit` sends of the account, newest first; `scannedTo`: the last send that was read, if more may follow. */
export async function listSends(
  db: Db,
  accountId: string,
  filter: SendFilter,
  limit: number,
  scanLimit = scannedMax,
): Promise<{ rows: ListedSend[]; scannedTo: string | undefined }> {
  const isFiltered = Boolean(filter.state || filter.templateId || filter.senderId);
  const scanned = isFiltered ? scanLimit : limit;
  const within = sql`
    select * from sends where account_id = ${accountId} ${filter.all ? sql`` : sql`and listed`}
      ${createdIn(filter)} ${filter.beforeId ? sql`and id < ${filter.beforeId}` : sql``}
    order by id desc limit ${scanned}`;
  const { rows } = await sql<ListedSend>`
    select s.*, x.is_pending from (${within}) s cross join lateral (select ${isPending} as is_pending) x
    where ${filter.state ? inState[filter.state] : sql`true`}
      ${filter.templateId ? sql`and s.template_id = ${filter.templateId}` : sql``}
      ${filter.senderId ? sql`and s.sender_id = ${filter.senderId}` : sql``}
    order by s.id desc limit ${limit}`.execute(db);
  if (!isFiltered || rows.length === limit) return { rows, scannedTo: undefined };
  const { rows: read } = await sql<{ id: string; n: number }>`
    select id, count(*) over ()::int n from (${within}) s order by id limit 1`.execute(db);
  return { rows, scannedTo: read[0]?.n === scanLimit ? read[0].id : undefined };
}

/** What a send has done: its messages by state, and how many the platform accepted in the last minute. */
export interface Progress {
  counts: { state: number; n: number }[];
  acceptedLately: number;
}

/** The window of `acceptedLately`. */
export const rateSeconds = 60;

/** A send with its progress, read in one statement so that its counts add up to its total. */
export async function findProgress(
  db: Db,
  accountId: string,
  sendId: string,
): Promise<{ send: SendRow; progress: Progress } | undefined> {
  const { rows } = await sql<SendRow & { progress: { state: number; n: number; lately: number }[] | null }>`
    select s.*, p.progress from sends s cross join lateral (
      select json_agg(c order by c.state) as progress from (
        select m.state, count(*)::int n, (count(*) filter (where m.accepted_at > now() - ${rateSeconds} * interval '1 second'))::int lately
        from messages m where m.send_id = s.id and m.account_id = s.account_id group by m.state) c) p
    where s.account_id = ${accountId} and s.id = ${sendId}`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { progress, ...send } = row;
  const counts = progress ?? [];
  return {
    send,
    progress: {
      counts: counts.map(({ state, n }) => ({ state, n })),
      acceptedLately: counts.reduce((sum, { lately }) => sum + lately, 0),
    },
  };
}
