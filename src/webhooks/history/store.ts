// Statements for reading deliveries and their attempts.
import { type RawBuilder, sql } from 'kysely';
import { isUuid } from '../../base/ids.ts';
import type { AttemptFailure, DeliveryItem } from '../../contract/deliveries.ts';
import type { Db } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { uuidSeconds } from '../../db/uuid-seconds.ts';
import { deliveryState } from '../delivery/delivery.ts';
import { type BodyRow, bodyOf, derivedKind } from '../delivery/derived-body.ts';
import { bodyColumns, joinMessage } from '../delivery/derived-body-store.ts';
import { isPending, lease, waitingMax } from '../delivery/leases-store.ts';
import type { SecretsRow } from '../endpoints/secrets.ts';
import { type EndpointStatus, endpointStatus } from '../endpoints/status.ts';

const status = sqlConstants(endpointStatus);
const state = sqlConstants(deliveryState);

export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  subject_id: string;
  stage: number;
  kind: string;
  message_id: string | null;
  state: number;
  attempts: number;
  next_attempt_at: Date | null;
  last_status: number | null;
  last_failure: DeliveryItem['lastFailure'];
  last_ms: number | null;
  delivered_at: Date | null;
}

/** When the lease of a published delivery ends, which has no `due_at`: its id has the time. */
const publishedLeaseEnd = sql`to_timestamp(${uuidSeconds(sql`d.id`)}) + ${lease}
  + case when d.state = ${state.waiting} then ${waitingMax} else interval '0' end`;

/** When it is due, but not before its endpoint's rest ends; null while the endpoint is not active. */
const nextAttemptAt = sql`case when ${isPending('d')} then (
  select greatest(coalesce(d.due_at, ${publishedLeaseEnd}), case when e.paused_until > now() then e.paused_until end) from endpoints e
  where e.id = d.endpoint_id and e.status = ${status.active}) end`;

/** Of the delivery `d` with `joinMessage`. */
const columns = sql`d.id, d.endpoint_id, d.subject_id, d.stage, coalesce(d.kind, ${sql.lit(derivedKind)}) as kind,
  coalesce(d.message_id, m.wamid) as message_id, d.state, d.attempts, ${nextAttemptAt} as next_attempt_at, d.last_status, d.last_failure,
  d.last_ms, d.delivered_at`;

export interface DeliveryFilter {
  endpointId?: string;
  messageId?: string;
  /** The kind of the event. */
  kind?: string;
  /** All states if undefined. */
  states?: readonly number[];
  from?: Date;
  to?: Date;
  /** Only deliveries created before this one. */
  before?: string;
}

/** Deliveries that one page scans for what no index covers. */
const scannedMax = 20_000;

/**
 * Lists up to `limit` deliveries of the account, newest first. For an endpoint, kind or state, and for a received message, which no
 * index finds by the platform's identifier, the scan is bounded, so that no page is slow: `scannedTo` is the last scanned delivery if
 * the scan ended before the list did.
 */
export async function listDeliveries(
  db: Db,
  accountId: string,
  filter: DeliveryFilter,
  limit: number,
  scanLimit = scannedMax,
): Promise<{ rows: DeliveryRow[]; scannedTo: string | undefined }> {
  const { messageId, ...others } = filter;
  const isReceived = messageId !== undefined && !(await isSent(db, accountId, messageId));
  const scope: DeliveryFilter = isReceived ? others : filter;
  const { endpointId, kind, states } = filter;
  const matches = [
    ...(isReceived ? [sql`s.message_id = ${messageId}`] : []),
    ...(endpointId === undefined ? [] : [sql`s.endpoint_id = ${endpointId}::uuid`]),
    ...(kind === undefined ? [] : [sql`coalesce(s.kind, ${sql.lit(derivedKind)}) = ${kind}`]),
    ...(states === undefined ? [] : [sql`s.state = any (${[...states]}::smallint[])`]),
  ];
  const isSparse = matches.length > 0 && scope.messageId === undefined;
  const scanned = matches.length === 0 ? limit : isSparse ? scanLimit : null;
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from (
      select s.* from (select * from deliveries d where ${inRange(accountId, scope)} order by d.id desc limit ${scanned}::int) s
      where ${matches.length === 0 ? sql`true` : sql.join(matches, sql` and `)} order by s.id desc limit ${limit}::int) d ${joinMessage}
    order by d.id desc`.execute(db);
  if (!isSparse || rows.length === limit) return { rows, scannedTo: undefined };
  return { rows, scannedTo: await lastScanned(db, accountId, scope, scanLimit) };
}

/** True if the account sent the message with that identifier of the platform, or, if it never got one, with that id. */
async function isSent(db: Db, accountId: string, messageId: string): Promise<boolean> {
  const { rows } = await sql`
    select from messages where wamid = ${messageId} and account_id = ${accountId}
    union all select from messages where id = ${isUuid(messageId) ? messageId : null}::uuid and account_id = ${accountId}
    limit 1`.execute(db);
  return rows.length > 0;
}

/** Finds the last delivery that a bounded scan reads; undefined if the scan reads them all. */
export async function lastScanned(
  db: Db,
  accountId: string,
  filter: DeliveryFilter,
  scanLimit: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select d.id from deliveries d where ${inRange(accountId, filter)}
    order by d.id desc offset ${scanLimit - 1}::int limit 1`.execute(db);
  return rows[0]?.id;
}

/** The condition that `deliveries_list`, or the message's index, leads to. */
function inRange(accountId: string, filter: DeliveryFilter): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [sql`d.account_id = ${accountId}`];
  // an index on message_id would cost two writes per delivery: the message's index leads to their primary key
  if (filter.messageId !== undefined) {
    const ofPlatform = sql`(select id from messages where wamid = ${filter.messageId} and account_id = ${accountId})`;
    conditions.push(sql`d.subject_id = any (array(
      ${ofPlatform} union all select ${isUuid(filter.messageId) ? filter.messageId : null}::uuid))
      and (d.message_id = ${filter.messageId} or d.body_form is not null and d.message_id is null and d.subject_id = any (array${ofPlatform}))`);
  }
  if (filter.from) conditions.push(sql`d.id >= uuid7_floor(greatest(${filter.from}::timestamptz, 'epoch'))`);
  if (filter.to) conditions.push(sql`d.id < uuid7_floor(greatest(${filter.to}::timestamptz, 'epoch'))`);
  if (filter.before !== undefined) conditions.push(sql`d.id < ${filter.before}::uuid`);
  return sql.join(conditions, sql` and `);
}

/** The deliveries of one message or event, oldest first. */
export async function listDeliveriesOfSubject(
  db: Db,
  accountId: string,
  subjectId: string,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from deliveries d ${joinMessage}
    where d.subject_id = ${subjectId} and d.account_id = ${accountId} order by d.id`.execute(db);
  return rows;
}

export type WholeDeliveryRow = DeliveryRow & { body: string; last_answer: string | null };

/** The account's delivery with that id, its body, and the response to its success; undefined also if its message was removed from the database. */
export async function findDelivery(
  db: Db,
  accountId: string,
  id: string,
): Promise<WholeDeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow & BodyRow & { last_answer: string | null }>`
    select ${columns}, ${bodyColumns}, d.last_answer from deliveries d ${joinMessage}
    where d.account_id = ${accountId} and d.id = ${id}`.execute(db);
  const [row] = rows;
  const body = row && bodyOf(row);
  return row && body !== undefined ? { ...row, body } : undefined;
}

export interface AttemptRow {
  no: number;
  at: Date;
  status: number | null;
  failure: AttemptFailure | null;
  ms: number | null;
  answer: string | null;
  detail: string | null;
  /** Its `webhook-timestamp` in epoch seconds; null for those that succeeded, and for those of earlier versions. */
  signed_at: number | null;
}

/** The attempts in their own table, in order. */
export async function listAttempts(
  db: Db,
  delivery: Pick<DeliveryRow, 'subject_id' | 'endpoint_id' | 'stage'>,
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select no, at, status, failure, ms, answer, detail, signed_at::float8 as signed_at from attempts
    where subject_id = ${delivery.subject_id} and endpoint_id = ${delivery.endpoint_id} and stage = ${delivery.stage}
    order by no`.execute(db);
  return rows;
}

/** What signs an endpoint's deliveries, and since when. */
export interface SignerRow extends SecretsRow {
  url: string;
  status: EndpointStatus;
  /** Null: since its creation. */
  url_changed_at: Date | null;
  /** Null: since its creation. */
  secrets_changed_at: Date | null;
}

/** The account's endpoint, also if it was deleted. */
export async function findSigner(db: Db, accountId: string, id: string): Promise<SignerRow | undefined> {
  const { rows } = await sql<SignerRow>`
    select id, url, status, secret, next_secret, overlap_until, next_activated, url_changed_at, secrets_changed_at
    from endpoints where account_id = ${accountId} and id = ${id}`.execute(db);
  return rows[0];
}
