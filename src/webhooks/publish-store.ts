// Statements for inserting deliveries of published events and of test events.
import { type RawBuilder, sql } from 'kysely';
import { uuidv7 } from '../base/ids.ts';
import { arrayText, textArray } from '../db/array-text.ts';
import type { Tx } from '../db/db.ts';
import { isGatewayHeld } from '../db/gateway-state.ts';
import { jsonLines } from '../db/json-lines.ts';
import { thenCommit } from '../db/preparing-client.ts';
import { sqlConstants } from '../db/sql-constants.ts';
import type { CountChange } from '../statistics/count-store.ts';
import { recordDead } from './delivery/dead-store.ts';
import {
  type AttemptResult,
  deadReason,
  deliveryState,
  failuresToBackOff,
  type LeasedDelivery,
} from './delivery/delivery.ts';
import {
  insertDeadCounts,
  insertFailureCounts,
  insertSuccessCounts,
} from './delivery/delivery-counts-store.ts';
import type { Derivation } from './delivery/derived-body.ts';
import { insertLease, isPending, waitingMax } from './delivery/leases-store.ts';
import { endpointStatus } from './endpoints/status.ts';

const state = sqlConstants(deliveryState);
const status = sqlConstants(endpointStatus);
const reason = sqlConstants(deadReason);

/** Deliveries that their publisher attempts from memory, under one lease. */
const isLeased = sql`n.open and not n.behind and not n.dead`;

export interface NewEvent {
  accountId: string;
  subjectId: string;
  stage: number;
  kind: string;
  messageId: string | null;
  body: string;
  /** If set, the body is not stored, but made again from the message when it is read. */
  derivation?: Derivation | undefined;
  /** An endpoint that does not get it. */
  exceptEndpointId?: string | undefined;
}

/** An inserted and leased delivery. One with `rank` 1 may start now; the rows after it, up to the next `rank` 1, are its later stages. */
export type InsertedDelivery = Pick<LeasedDelivery, 'id' | 'endpointId' | 'version' | 'failures'> & {
  /** The position of its event among `events`, from 1. */
  no: number;
  rank: number;
};

/**
 * Inserts one delivery per endpoint that subscribes to the event. Returns those that may start now, with the later stages that wait for them alone; one
 * lease of the process, `leaseId`, covers them all. A stage waits behind an unfinished earlier stage for the same endpoint; those rows are locked first, so that their end and
 * this insert cannot miss each other. Must be a separate statement after the subject's row locks: its snapshot must see what those locks waited
 * for. Skips stages that exist. Also records
 * `changes` of counts. `isLast`: commits the transaction (`thenCommit`). Insert without ON CONFLICT: duplicates are rare, and it would double the WAL per row.
 */
export async function insertDeliveries(
  tx: Tx,
  deliveries: DeliveriesToInsert,
  isLast = false,
): Promise<InsertedDelivery[]> {
  const { rows } = await sql<InsertedDelivery>`
    /* insertDeliveries */ with ${deliveriesSql(deliveries)} select ${columns} from new n where ${isLeased}
    order by n.subject_id, n.endpoint_id, n.rank ${thenCommit(isLast)}`.execute(tx);
  return rows;
}

const columns = sql`n.id, n.no::int, n.endpoint_id as "endpointId", n.version, n.failures, n.rank::int`;

/** A query of the deliveries that may start now, and their subjects, for a statement with `deliveriesSql`. */
export const startedSql = sql`select ${columns}, n.subject_id from new n where ${isLeased}`;

/** How a statement reads events: their rows, what it has to know of earlier stages, and where each event's delivery comes among them. */
interface EventsSql {
  rows: RawBuilder<unknown>;
  /** Common table expressions. */
  stages: RawBuilder<unknown>;
  place: RawBuilder<unknown>;
  isNew: RawBuilder<unknown>;
}

/** `known` has the stages of the subjects, `earlier` those that have not ended, locked in the order of `lockKey`. */
const eventsOfStages = (events: readonly NewEvent[]): EventsSql => ({
  rows: sql`select * from unnest(${arrayText(events.map((event) => event.accountId))}::uuid[],
      ${arrayText(events.map((event) => event.subjectId))}::uuid[], ${arrayText(events.map((event) => event.stage))}::smallint[],
      ${textArray(events.map((event) => event.kind))}::text[], ${textArray(events.map((event) => (event.derivation ? null : event.messageId)))}::text[],
      ${jsonLines(events.map((event) => (event.derivation ? null : event.body)))},
      ${arrayText(events.map((event) => event.derivation?.form ?? null))}::smallint[],
      ${arrayText(events.map((event) => event.derivation?.madeAtMs ?? null))}::bigint[])
      with ordinality v(account_id, subject_id, stage, kind, message_id, body, form, made_ms, no)`,
  stages: sql`known as materialized (
      select p.subject_id, p.endpoint_id, p.stage, p.id from (select distinct subject_id from v where stage > 0) s
      join deliveries p on p.subject_id = s.subject_id),
    earlier as materialized (
      select p.subject_id, p.endpoint_id
      from (select * from known order by subject_id, endpoint_id, id) k
      join deliveries p on p.subject_id = k.subject_id and p.endpoint_id = k.endpoint_id and p.stage = k.stage and p.id = k.id
      where ${isPending('p')} order by p.subject_id, p.endpoint_id, p.id for update of p),`,
  place: sql`row_number() over (partition by v.subject_id, e.id order by v.stage) as rank,
        (v.subject_id, e.id) in (select subject_id, endpoint_id from earlier) as behind`,
  isNew: sql`(v.subject_id, e.id, v.stage) not in (select subject_id, endpoint_id, stage from known)`,
});

/** True for an event that is the only one of its subject, and stores its body. */
const isSingle = ({ stage, derivation }: NewEvent): boolean => stage === 0 && derivation === undefined;

/** The same for single events: they wait for none, so no partition is read, which takes a tenth of a small statement. */
const singleEvents = (events: readonly NewEvent[]): EventsSql => ({
  rows: sql`select a as account_id, s as subject_id, 0::smallint as stage, kind, message_id, body, null::smallint as form,
      null::bigint as made_ms, no
      from unnest(${arrayText(events.map((event) => event.accountId))}::uuid[],
      ${arrayText(events.map((event) => event.subjectId))}::uuid[], ${textArray(events.map((event) => event.kind))}::text[],
      ${textArray(events.map((event) => event.messageId))}::text[], ${jsonLines(events.map((event) => event.body))})
      with ordinality v(a, s, kind, message_id, body, no)`,
  stages: sql``,
  place: sql`1 as rank, false as behind`,
  isNew: sql`true`,
});

/** What `deliveriesSql` inserts. */
export interface DeliveriesToInsert {
  events: readonly NewEvent[];
  busyEndpointIds: readonly string[];
  processId: number;
  changes?: readonly CountChange[];
  leaseId?: string;
}

/**
 * The common table expressions of a statement that inserts deliveries; `new` has them all. `where` is a further condition on an event, `v`, such
 * as that the same statement inserted its subject.
 */
export function deliveriesSql(
  { events, busyEndpointIds, processId, changes = [], leaseId = uuidv7() }: DeliveriesToInsert,
  where: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const excepted = events.some(({ exceptEndpointId }) => exceptEndpointId !== undefined)
    ? sql`and e.id is distinct from (${arrayText(events.map((event) => event.exceptEndpointId ?? null))}::uuid[])[v.no]`
    : sql``;
  const accountIds = [...new Set(events.map(({ accountId }) => accountId))];
  const { rows, stages, place, isNew } = events.every(isSingle)
    ? singleEvents(events)
    : eventsOfStages(events);
  return sql`
    v as materialized (${rows}),
    ${stages}
    new as materialized (
      select uuid7() as id, v.*, e.id as endpoint_id, e.version, e.failures, e.status = ${status.disabled} as dead,
        ${place},
        e.status = ${status.active} and e.failures < ${failuresToBackOff} and e.paused_until is null
          and not e.id = any (${[...busyEndpointIds]}::uuid[]) and not ${isGatewayHeld} as open
      from v join endpoints e on e.account_id = v.account_id and e.status <> ${status.deleted} and v.kind = any (e.events) ${excepted}
      where ${isNew} ${where}),
    written as (
      insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, message_id, body, body_form, made_ms, state, due_at,
        leased_by, last_failure)
      select id, account_id, endpoint_id, subject_id, stage, case when form is null then kind end, message_id, body, form, made_ms,
        case when dead then ${state.dead} when behind or rank > 1 then ${state.waiting} else ${state.ready} end,
        case when dead or open and not behind then null when behind or rank > 1 then now() + ${waitingMax} else now() end,
        ${processId}::int,
        case when dead then ${reason.endpointDisabled} end
      from new),
    leased as (${insertLease(leaseId, processId, accountIds, isLeased)}),
    recorded as (${recordDead(sql`new`, { where: sql`f.dead`, reason: sql`${reason.endpointDisabled}::text` })}),
    counted as (${insertDeadCounts(sql`new`, { where: sql`f.dead`, and: changes })})`;
}

/** Inserts the delivery of a test event after its only attempt, whatever the endpoint's state. */
export async function insertAttemptedDelivery(
  tx: Tx,
  { result, ...delivery }: { id: string; endpointId: string; result: AttemptResult } & NewEvent,
): Promise<void> {
  const { delivered, durationMs, answer } = result;
  const failure = delivered ? null : result.reason;
  await sql`
    with moved as (
      insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, message_id, body, state, attempts,
        last_status, last_failure, last_ms, last_answer, last_attempt_at, delivered_at)
      values (${delivery.id}, ${delivery.accountId}, ${delivery.endpointId}, ${delivery.subjectId}, ${delivery.stage},
        ${delivery.kind}, ${delivery.messageId}, ${delivery.body}, ${delivered ? state.delivered : state.dead}, 1, ${result.status},
        ${failure}, ${durationMs}, ${delivered ? answer : null}, now(), case when ${delivered} then now() end)
      returning account_id, endpoint_id, last_ms as ms, true as is_dead)
    ${delivered ? insertSuccessCounts(1) : insertFailureCounts}`.execute(tx);
  if (result.delivered) return;
  await sql`
    insert into attempts (subject_id, endpoint_id, stage, no, status, failure, ms, answer, detail, signed_at)
    values (${delivery.subjectId}, ${delivery.endpointId}, ${delivery.stage}, 1, ${result.status},
      ${failure}, ${durationMs}, ${answer}, ${result.detail}, ${result.timestampSeconds})`.execute(tx);
}
