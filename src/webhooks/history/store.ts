// Statements for reading deliveries and their attempts.
import { type RawBuilder, sql } from 'kysely';
import { isUuid } from '../../base/ids.ts';
import type { AttemptFailure, DeliveryItem } from '../../contract/deliveries.ts';
import type { Db } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { endpointStatus } from '../endpoints/status.ts';

const status = sqlConstants(endpointStatus);

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

/** When it is due, but not before its endpoint's rest ends; null while the endpoint is not active. */
const nextAttemptAt = sql`case when due_at is not null then (
  select greatest(due_at, case when e.paused_until > now() then e.paused_until end) from endpoints e
  where e.id = endpoint_id and e.status = ${status.active}) end`;

const columns = sql`id, endpoint_id, subject_id, stage, kind, message_id, state, attempts,
  ${nextAttemptAt} as next_attempt_at, last_status, last_failure, last_ms, delivered_at`;

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
    sql`account_id = ${accountId}`,
    sql`state = any (${[...filter.states]}::smallint[])`,
  ];
  if (filter.endpointId !== undefined) conditions.push(sql`endpoint_id = ${filter.endpointId}::uuid`);
  // an index on message_id would cost two writes per delivery: the message's index leads to their primary key
  if (filter.messageId !== undefined) {
    conditions.push(sql`message_id = ${filter.messageId} and subject_id = any (array(
      select id from messages where wamid = ${filter.messageId} and account_id = ${accountId}
      union all select ${isUuid(filter.messageId) ? filter.messageId : null}::uuid))`);
  }
  if (filter.from) conditions.push(sql`id >= uuid7_floor(greatest(${filter.from}::timestamptz, 'epoch'))`);
  if (filter.to) conditions.push(sql`id < uuid7_floor(greatest(${filter.to}::timestamptz, 'epoch'))`);
  if (filter.before !== undefined) conditions.push(sql`id < ${filter.before}::uuid`);
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from deliveries where ${sql.join(conditions, sql` and `)}
    order by id desc limit ${filter.limit}::int`.execute(db);
  return rows;
}

/** The deliveries of one message or event, oldest first. */
export async function listDeliveriesOfSubject(
  db: Db,
  accountId: string,
  subjectId: string,
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from deliveries where subject_id = ${subjectId} and account_id = ${accountId}
    order by id`.execute(db);
  return rows;
}

export type WholeDeliveryRow = DeliveryRow & { body: string; last_answer: string | null };

/** The account's delivery with that id, its body, and the response to its success. */
export async function findDelivery(
  db: Db,
  accountId: string,
  id: string,
): Promise<WholeDeliveryRow | undefined> {
  const { rows } = await sql<WholeDeliveryRow>`
    select ${columns}, body, last_answer from deliveries where account_id = ${accountId} and id = ${id}`.execute(
    db,
  );
  return rows[0];
}

export interface AttemptRow {
  no: number;
  at: Date;
  status: number | null;
  failure: AttemptFailure | null;
  ms: number | null;
  answer: string | null;
  detail: string | null;
}

/** The attempts in their own table, in order. */
export async function listAttempts(
  db: Db,
  delivery: Pick<DeliveryRow, 'subject_id' | 'endpoint_id' | 'stage'>,
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select no, at, status, failure, ms, answer, detail from attempts
    where subject_id = ${delivery.subject_id} and endpoint_id = ${delivery.endpoint_id} and stage = ${delivery.stage}
    order by no`.execute(db);
  return rows;
}
