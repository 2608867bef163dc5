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
  states: readonly number[];
  from?: Date;
  to?: Date;
  /** Only deliveries created before this one. */
  before?: string;
  limit: number;
}

/** The account's deliveries, newest first. */
export async function listDeliveries(
  db: Db,
  accountId: string,
  filter: DeliveryFilter,
): Promise<DeliveryRow[]> {
  const conditions: RawBuilder<unknown>[] = [
    sql`d.account_id = ${accountId}`,
    sql`d.state = any (${[...filter.states]}::smallint[])`,
  ];
  if (filter.endpointId !== undefined) conditions.push(sql`d.endpoint_id = ${filter.endpointId}::uuid`);
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
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from (select * from deliveries d where ${sql.join(conditions, sql` and `)}
      order by d.id desc limit ${filter.limit}::int) d ${joinMessage}
    order by d.id desc`.execute(db);
  return rows;
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
