// Statements of deliveries: claim, complete, fail, release, and the consequences for the endpoint.
import { sql } from 'kysely';
import { nilUuid } from '../../base/ids.ts';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { isGatewayHeld } from '../../db/gateway-state.ts';
import { thenCommit } from '../../db/preparing-client.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { disabledReason, endpointStatus } from '../endpoints/status.ts';
import { deadLetterWithin } from '../endpoints/store.ts';
import { recordDead } from './dead-store.ts';
import {
  type DeliveryKey,
  deadReason,
  deliveryState,
  type FailedAttempt,
  failuresToBackOff,
  httpGone,
  type LeasedDelivery,
  longestRestMs,
  type SuccessfulAttempt,
} from './delivery.ts';
import { insertFailureCounts, insertSuccessCounts } from './delivery-counts-store.ts';
import { type BodyRow, withBodies } from './derived-body.ts';
import { bodyColumns, joinMessage, type UnjoinedRow, withMessages } from './derived-body-store.ts';
import { deliveryKeys } from './keys-store.ts';
import { endLeases, isPending, lease, waitingMax } from './leases-store.ts';
import type { Claim } from './queue.ts';

type LaterStage = Omit<LeasedDelivery, 'version' | 'failures'> & { firstId: string };
type RowOf<Delivery> = Omit<Delivery, 'body'> & BodyRow;
type ClaimedRow = Omit<LeasedDelivery, 'body'> & UnjoinedRow;

const match = sql`d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.stage = x.stage`;
const state = sqlConstants(deliveryState);
const status = sqlConstants(endpointStatus);
const reason = sqlConstants(deadReason);
const disabledBecause = sqlConstants(disabledReason);
const gone = sql.lit(httpGone);

/** Consecutive failures for the claim: after a rest, an endpoint is probed like one that backs off. */
const failuresOf = sql`case when e.paused_until is null then e.failures else greatest(e.failures, ${failuresToBackOff}) end`;

const deliveryColumns = sql`d.id, d.endpoint_id as "endpointId", d.attempts - d.attempts_before as "failedAttempts", ${bodyColumns}`;

/** What a CTE must return of `d` for `deliveryColumns` with `joinMessage`. */
const returned = sql`d.id, d.account_id, d.subject_id, d.endpoint_id, d.stage, d.body, d.body_form, d.made_ms, d.attempts, d.attempts_before`;

/**
 * Leases due deliveries to a process: up to `perEndpoint` of each active endpoint, oldest first, and only one of an endpoint that backs off or has not
 * succeeded since its rest. Endpoints come by id, from the one after `after`. Skips locked rows. Endpoints are found by a loose index scan of due
 * deliveries: with 5,000 idle endpoints it takes 0.2 ms, and a query per endpoint 24 ms.
 */
export async function claimDeliveries(
  db: Db,
  claim: Claim & { after?: string | undefined; processId: number },
): Promise<LeasedDelivery[]> {
  const { rows } = await sql<ClaimedRow>`
    /* claimDeliveries */ with recursive due_endpoints(id) as (
      (select endpoint_id from deliveries where due_at is not null and endpoint_id > ${claim.after ?? nilUuid}::uuid
        order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from deliveries d where d.due_at is not null and d.endpoint_id > w.id
        order by d.endpoint_id limit 1) from due_endpoints w where w.id is not null),
    x as materialized (
      select c.*, e.version, ${failuresOf} failures
      from due_endpoints join endpoints e on e.id = due_endpoints.id cross join lateral (
        select d.subject_id, d.endpoint_id, d.stage from deliveries d
        where d.endpoint_id = e.id and d.due_at <= now()
        order by d.due_at
        limit case when ${failuresOf} >= ${failuresToBackOff} then 1 else ${claim.perEndpoint}::int end
        for update of d skip locked) c
      where e.status = ${status.active} and (e.paused_until is null or e.paused_until <= now()) and not ${isGatewayHeld}
        and not e.id = any (${[...claim.except]}::uuid[])
      limit ${claim.total}::int)
    update deliveries d set state = ${state.ready}, due_at = now() + ${lease}, leased_by = ${claim.processId} from x where ${match}
    returning d.id, d.account_id as "accountId", d.subject_id as "subjectId", d.endpoint_id as "endpointId", d.stage, d.body,
      d.body_form as "bodyForm", d.made_ms as "madeMs", d.attempts - d.attempts_before as "failedAttempts", x.version, x.failures`.execute(
    db,
  );
  return withBodies(await withMessages(db, rows));
}

/** The later stages that wait for claimed deliveries alone, oldest first: no other stage of their message is due or leased before them. */
export async function findLaterStages(db: Db, claimed: readonly LeasedDelivery[]): Promise<LaterStage[]> {
  const { rows } = await sql<RowOf<LaterStage>>`
    select ${deliveryColumns}, h.id as "firstId"
    from unnest(${deliveryKeys(claimed)}, ${arrayText(claimed.map((first) => first.id))}::uuid[]) h(subject_id, endpoint_id, stage, id)
    join deliveries d on d.subject_id = h.subject_id and d.endpoint_id = h.endpoint_id and d.state = ${state.waiting} and d.id > h.id
    ${joinMessage}
    where not exists (select from deliveries q where q.subject_id = d.subject_id and q.endpoint_id = d.endpoint_id
      and q.id < d.id and q.id <> h.id and q.state <> ${state.waiting} and ${isPending('q')})
    order by d.id`.execute(db);
  return withBodies(rows);
}

/**
 * Records successes, and ends leases of which these are the last; safe to repeat: a delivery that is recorded already stays as it is. `done` is sorted by key. Where a later stage may wait, call
 * `leaseNextStages` before the commit.
 */
export async function completeDeliveries(
  db: Db | Tx,
  done: readonly (DeliveryKey & Pick<SuccessfulAttempt, 'status' | 'durationMs' | 'answer'>)[],
  endedLeaseIds: readonly string[] = [],
): Promise<void> {
  await sql`
    /* completeDeliveries */ with moved as (
      update deliveries d set state = ${state.delivered}, attempts = d.attempts + 1, due_at = null, last_status = x.status,
        last_failure = null, last_ms = x.ms, last_answer = x.answer, delivered_at = now()
      from unnest(${deliveryKeys(done)}, ${arrayText(done.map((item) => item.status))}::smallint[],
        ${arrayText(done.map((item) => item.durationMs))}::int[], ${done.map((item) => item.answer)}::text[])
        x(subject_id, endpoint_id, stage, status, ms, answer)
      where ${match} and d.state <> ${state.delivered}
      returning d.account_id, d.endpoint_id, x.ms),
    ended as (${endLeases(endedLeaseIds)})
    ${insertSuccessCounts(done.length)}`.execute(db);
}

/**
 * Leases the next stages after those that have just ended. Must be a separate statement in the transaction that ended them: with their row locks
 * held, a publisher of the next stage has either committed, and this snapshot sees its row, or waits and then finds nothing to wait for. `isLast`: commits
 * the transaction.
 */
export async function leaseNextStages(
  tx: Tx,
  ended: readonly DeliveryKey[],
  processId: number,
  isLast = false,
): Promise<LeasedDelivery[]> {
  const { rows } = await sql<RowOf<LeasedDelivery> & { open: boolean }>`
    with leased as (update deliveries d set state = ${state.ready}, due_at = now() + case when x.open then ${lease} else interval '0' end,
      leased_by = ${processId}
    from (
      select distinct k.subject_id, k.endpoint_id, e.version, e.failures,
        e.status = ${status.active} and e.failures < ${failuresToBackOff} and e.paused_until is null as open
      from unnest(${deliveryKeys(ended)}) k(subject_id, endpoint_id, stage) join endpoints e on e.id = k.endpoint_id
      order by k.subject_id, k.endpoint_id) x
    where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.state = ${state.waiting}
      and not exists (select from deliveries q where q.subject_id = d.subject_id and q.endpoint_id = d.endpoint_id
        and q.id < d.id and ${isPending('q')})
      returning ${returned}, x.version, x.failures, x.open)
    select ${deliveryColumns}, d.version, d.failures, d.open from leased d ${joinMessage}
    ${thenCommit(isLast)}`.execute(tx);
  return withBodies(rows.filter((row) => row.open));
}

/**
 * Records failures; `delayMs` undefined makes a delivery dead. `retry_after` keeps the wait that the receiver requested, so that a success elsewhere does
 * not bring the delivery forward. Skips deliveries that have ended. Later stages
 * leave the published lease: they wait an hour at most. `failed` is sorted by key.
 */
export async function failDeliveries(
  tx: Tx,
  failed: readonly (DeliveryKey &
    Pick<
      FailedAttempt,
      'status' | 'reason' | 'timestampSeconds' | 'durationMs' | 'answer' | 'detail' | 'retryAfterMs'
    > & {
      delayMs: number | undefined;
    })[],
): Promise<void> {
  await sql`
    /* failDeliveries */ with moved as (
      update deliveries d set attempts = d.attempts + 1, state = case when x.delay is null then ${state.dead} else ${state.retrying} end,
        due_at = now() + x.delay * interval '1 ms',
        retry_after = now() + nullif(x.asked, 0) * interval '1 ms', last_status = x.status, last_ms = x.ms,
        last_attempt_at = now(), last_failure = case when x.status = ${gone} then ${reason.endpointDisabled} else x.reason end
      from unnest(${deliveryKeys(failed)}, ${failed.map((item) => item.status)}::smallint[],
        ${failed.map((item) => item.reason)}::text[], ${failed.map((item) => item.durationMs)}::int[],
        ${failed.map((item) => item.answer)}::text[], ${failed.map((item) => item.detail)}::text[],
        ${failed.map((item) => item.delayMs ?? null)}::float8[], ${arrayText(failed.map((item) => item.retryAfterMs))}::float8[],
        ${arrayText(failed.map((item) => item.timestampSeconds))}::bigint[])
        x(subject_id, endpoint_id, stage, status, reason, ms, answer, detail, delay, asked, signed_at)
      where ${match} and ${isPending('d')}
      returning d.account_id, d.subject_id, d.endpoint_id, d.stage, d.attempts, x.status, x.reason, x.ms, x.answer,
        x.detail, x.delay is null as is_dead, d.kind, d.last_failure, x.signed_at),
    behind as (
      update deliveries d set due_at = now() + ${waitingMax} from moved x
      where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.state = ${state.waiting} and d.due_at is null),
    counted as (${insertFailureCounts}),
    recorded as (${recordDead(sql`moved`, { where: sql`f.is_dead`, reason: sql`f.last_failure` })})
    insert into attempts (subject_id, endpoint_id, stage, no, status, failure, ms, answer, detail, signed_at)
    select subject_id, endpoint_id, stage, attempts, status, reason, ms, answer, detail, signed_at from moved`.execute(
    tx,
  );
}

export interface EndpointFailures {
  endpointId: string;
  failures: number;
  /** It responded with 410. */
  gone: boolean;
  /** The longest wait that it requested. */
  retryAfterMs: number;
}

export interface FailingEndpoint {
  id: string;
  status: string;
  disabledReason: string | null;
  resting: boolean;
}

/**
 * Records failures of endpoints. After ten consecutive ones an endpoint rests for a quarter of the time it has been failing, a minute at most. A requested
 * wait rests it too, 15 minutes at most. A 410, or five days of failures alone, disables it. `failures` is sorted by id.
 */
export async function recordEndpointFailures(
  tx: Tx,
  failures: readonly EndpointFailures[],
): Promise<FailingEndpoint[]> {
  const { rows } = await sql<FailingEndpoint>`
    with changed as (update endpoints e set
      failing_since = y.since, failures = e.failures + y.failures,
      paused_until = nullif(greatest(coalesce(e.paused_until, '-infinity'), now() + y.wait * interval '1 ms',
        case when e.failures + y.failures >= ${failuresToBackOff}
          then now() + least(interval '1 minute', (now() - y.since) / 4) else '-infinity' end), '-infinity'),
      status = case when y.why is null then e.status else ${status.disabled} end,
      disabled_reason = y.why,
      bury_until = case when y.why is null then null else now() + ${deadLetterWithin} end,
      recovered_at = case when y.why is null then e.recovered_at end,
      version = e.version + case when y.why is null then 0 else 1 end
    from (
      select t.id, t.failures, nullif(least(t.wait, ${longestRestMs}), 0) as wait, coalesce(o.failing_since, now()) as since, o.status as was,
        case when t.gone then ${disabledBecause.gone}
          when o.failing_since <= now() - interval '5 days' then ${disabledBecause.failing} end as why
      from unnest(${failures.map((item) => item.endpointId)}::uuid[], ${failures.map((item) => item.failures)}::int[],
        ${failures.map((item) => item.gone)}::bool[], ${failures.map((item) => item.retryAfterMs)}::float8[])
        t(id, failures, gone, wait)
      join endpoints o on o.id = t.id and o.status in (${status.active}, ${status.paused}) order by t.id for update of o) y
    where e.id = y.id
    returning e.*, y.was),
    recorded as (insert into endpoint_changes (account_id, endpoint_id, from_status, to_status)
      select account_id, id, was, status from changed where status <> was)
    select id, status, disabled_reason as "disabledReason", paused_until is not null and paused_until > now() as resting
    from changed`.execute(tx);
  return rows;
}

/** Records a success at failing endpoints: their rest ends, and maintenance makes their retries due. */
export async function recordEndpointRecovery(tx: Tx, endpointIds: readonly string[]): Promise<void> {
  await sql`
    update endpoints set failing_since = null, failures = 0, paused_until = null, recovered_at = now()
    where id in (select id from endpoints where id = any (${[...endpointIds]}::uuid[]) and failing_since is not null
      and status <> ${status.deleted} order by id for update)`.execute(tx);
}

/**
 * Makes deliveries that the process has leased due again; their later stages leave the published lease. After a lost session another process
 * may have leased them, and attempts them now. The coalesce keeps the planner of an empty database from reading every due delivery.
 */
export async function releaseLeases(db: Db, keys: readonly DeliveryKey[], processId: number): Promise<void> {
  await sql`
    update deliveries d set due_at = now() + case when d.state = ${state.waiting} then ${waitingMax} else interval '0' end
    from unnest(${deliveryKeys(keys)}) x(subject_id, endpoint_id, stage)
    where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.leased_by = ${processId} and (
      d.stage = x.stage and d.state = ${state.ready} and coalesce(d.due_at, 'infinity') > now() or d.state = ${state.waiting} and d.due_at is null)`.execute(
    db,
  );
}

/** Releases the leases of ended processes; returns how many. */
export async function releaseDeliveriesOf(tx: Tx, processIds: readonly number[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update deliveries d set due_at = now()
    from (
      select l.subject_id, l.endpoint_id, l.stage from endpoints e cross join lateral (
        select subject_id, endpoint_id, stage from deliveries
        where endpoint_id = e.id and due_at > now() and state = ${state.ready} and leased_by = any (${[...processIds]}::int[])
        for update skip locked) l) x
    where ${match}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
