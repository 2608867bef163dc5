// Statements of delivering: claim, complete, release, fail, and what they mean for the endpoint.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { deadLetterFor } from '../endpoints/store.ts';
import {
  type FailedAttempt,
  failuresToBackOff,
  type LeasedDelivery,
  leaseMs,
  longestRestMs,
  type SuccessfulAttempt,
} from './delivery.ts';

type Key = Pick<LeasedDelivery, 'subjectId' | 'endpointId' | 'stage'>;

const keyArrays = (keys: readonly Key[]) => sql`
  unnest(${arrayText(keys.map((key) => key.subjectId))}::uuid[], ${arrayText(keys.map((key) => key.endpointId))}::uuid[],
    ${arrayText(keys.map((key) => key.stage))}::smallint[]`;

const match = sql`d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.stage = x.stage`;
const lease = sql`${leaseMs}::int * interval '1 ms'`;

/** Failures that the deliverer goes by: an endpoint that was resting is tried with one delivery, as one that backs off. */
const failuresOf = sql`case when e.paused_until is null then e.failures else greatest(e.failures, ${failuresToBackOff}) end`;

const leasedDeliveries = sql`d.id, d.subject_id as "subjectId", d.endpoint_id as "endpointId", d.stage, d.body,
  d.attempts - d.attempts_before as "failedAttempts"`;

/**
 * Leases due deliveries to a process: the same few, oldest first, of every endpoint that takes them, whatever lies behind one of
 * them; of an endpoint that backs off, or was resting and has not answered 2xx since, only one. Endpoints come in the order of their ids, from the one behind `after`
 * on. Rows that others hold are passed over. Endpoints are found by leaps through the index of what is due, so that
 * thousands that have nothing cost nothing (5,000 idle ones: 24 ms by asking each, 0.2 ms so).
 */
export async function claimDeliveries(
  db: Db,
  claim: {
    perEndpoint: number;
    total: number;
    except: readonly string[];
    after?: string | undefined;
    processId: number;
  },
): Promise<LeasedDelivery[]> {
  const { rows } = await sql<LeasedDelivery>`
    /* claimDeliveries */ with recursive waiting(id) as (
      (select endpoint_id from deliveries where due_at is not null and endpoint_id > ${claim.after ?? beforeAll}::uuid
        order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from deliveries d where d.due_at is not null and d.endpoint_id > w.id
        order by d.endpoint_id limit 1) from waiting w where w.id is not null),
    x as materialized (
      select c.*, e.version, ${failuresOf} failures
      from waiting join endpoints e on e.id = waiting.id cross join lateral (
        select d.subject_id, d.endpoint_id, d.stage from deliveries d
        where d.endpoint_id = e.id and d.due_at <= now()
        order by d.due_at
        limit case when ${failuresOf} >= ${failuresToBackOff} then 1 else ${claim.perEndpoint}::int end
        for update of d skip locked) c
      where e.status = 'active' and (e.paused_until is null or e.paused_until <= now())
        and not e.id = any (${[...claim.except]}::uuid[])
      limit ${claim.total}::int)
    update deliveries d set state = 0, due_at = now() + ${lease}, leased_by = ${claim.processId} from x where ${match}
    returning ${leasedDeliveries}, x.version, x.failures`.execute(db);
  return rows;
}

/**
 * The later stages of claimed deliveries that wait for them alone, in the order of their making: nothing else of their
 * message that is due or under way at that endpoint stands before them.
 */
export async function findLaterStages(
  db: Db,
  heads: readonly LeasedDelivery[],
): Promise<(Omit<LeasedDelivery, 'version' | 'failures'> & { headId: string })[]> {
  const { rows } = await sql<Omit<LeasedDelivery, 'version' | 'failures'> & { headId: string }>`
    select ${leasedDeliveries}, h.id as "headId"
    from ${keyArrays(heads)}, ${arrayText(heads.map((head) => head.id))}::uuid[]) h(subject_id, endpoint_id, stage, id)
    join deliveries d on d.subject_id = h.subject_id and d.endpoint_id = h.endpoint_id and d.state = 3 and d.id > h.id
    where not exists (select from deliveries q where q.subject_id = d.subject_id and q.endpoint_id = d.endpoint_id
      and q.id < d.id and q.id <> h.id and q.state <> 3 and coalesce(q.due_at, '-infinity') <> '-infinity')
    order by d.id`.execute(db);
  return rows;
}

const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Marks deliveries as delivered; repeats are harmless. Sorted by key, and followed by `releaseNext` before the commit
 * where a later stage may wait for one of them.
 */
export async function completeDeliveries(
  db: Db | Tx,
  done: readonly (Key & Pick<SuccessfulAttempt, 'status' | 'durationMs' | 'answer'>)[],
): Promise<void> {
  await sql`
    /* completeDeliveries */ update deliveries d set state = 1, attempts = d.attempts + 1, due_at = null, last_status = x.status,
      last_failure = null, last_ms = x.ms, last_answer = x.answer, last_attempt_at = now(), delivered_at = now()
    from ${keyArrays(done)}, ${arrayText(done.map((item) => item.status))}::smallint[],
      ${arrayText(done.map((item) => item.durationMs))}::int[], ${done.map((item) => item.answer)}::text[])
      x(subject_id, endpoint_id, stage, status, ms, answer)
    where ${match}`.execute(db);
}

/**
 * Lets the next stage start where an earlier one has just ended, leasing it to the process. It must be a statement of its own in
 * the transaction that ended the earlier one: once that one's row lock is held, a publisher of the next stage has
 * either committed, and this statement's snapshot sees its row, or waits for us and will find nothing to wait for.
 */
export async function leaseNextStages(
  tx: Tx,
  ended: readonly Key[],
  processId: number,
): Promise<LeasedDelivery[]> {
  const { rows } = await sql<LeasedDelivery & { open: boolean }>`
    update deliveries d set state = 0, due_at = now() + case when x.open then ${lease} else interval '0' end,
      leased_by = ${processId}
    from (
      select distinct k.subject_id, k.endpoint_id, e.version, e.failures,
        e.status = 'active' and e.failures < ${failuresToBackOff} and e.paused_until is null as open
      from ${keyArrays(ended)}) k(subject_id, endpoint_id, stage) join endpoints e on e.id = k.endpoint_id
      order by k.subject_id, k.endpoint_id) x
    where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.state = 3
      and not exists (select from deliveries q where q.subject_id = d.subject_id and q.endpoint_id = d.endpoint_id
        and q.id < d.id and q.due_at is not null)
    returning ${leasedDeliveries}, x.version, x.failures, x.open`.execute(tx);
  return rows.filter((row) => row.open);
}

/**
 * Records failed tries: `delayMs` undefined makes the delivery dead. What the receiver asked for by `Retry-After` is kept
 * beside it, so that a success elsewhere does not bring the delivery forward. Buried rows stay as they are. Sorted by key. (A bare
 * `due_at is not null` would let the planner of an empty database enter by what is due.)
 */
export async function failDeliveries(
  tx: Tx,
  failed: readonly (Key &
    Pick<FailedAttempt, 'status' | 'reason' | 'durationMs' | 'answer' | 'detail' | 'retryAfterMs'> & {
      delayMs: number | undefined;
    })[],
): Promise<void> {
  await sql`
    /* failDeliveries */ with moved as (
      update deliveries d set attempts = d.attempts + 1, state = case when x.delay is null then 2 else 4 end,
        due_at = now() + x.delay * interval '1 ms',
        retry_after = now() + nullif(x.asked, 0) * interval '1 ms', last_status = x.status, last_ms = x.ms,
        last_attempt_at = now(), last_failure = case when x.status = 410 then 'endpoint_disabled' else x.reason end
      from ${keyArrays(failed)}, ${failed.map((item) => item.status)}::smallint[],
        ${failed.map((item) => item.reason)}::text[], ${failed.map((item) => item.durationMs)}::int[],
        ${failed.map((item) => item.answer)}::text[], ${failed.map((item) => item.detail)}::text[],
        ${failed.map((item) => item.delayMs ?? null)}::float8[], ${arrayText(failed.map((item) => item.retryAfterMs))}::float8[])
        x(subject_id, endpoint_id, stage, status, reason, ms, answer, detail, delay, asked)
      where ${match} and coalesce(d.due_at, '-infinity') <> '-infinity'
      returning d.subject_id, d.endpoint_id, d.stage, d.attempts, x.status, x.reason, x.ms, x.answer,
        x.detail)
    insert into attempts (subject_id, endpoint_id, stage, no, status, failure, ms, answer, detail)
    select subject_id, endpoint_id, stage, attempts, status, reason, ms, answer, detail from moved`.execute(
    tx,
  );
}

export interface EndpointFailures {
  endpointId: string;
  failures: number;
  /** It answered 410. */
  gone: boolean;
  /** The longest wait that it asked for. */
  retryAfterMs: number;
}

export interface FailingEndpoint {
  id: string;
  status: string;
  disabledReason: string | null;
  resting: boolean;
}

/**
 * What failures mean for their endpoints (`api.md` part 7): after ten in a row the endpoint rests a quarter of the time
 * it has been failing, a minute at most; a wait that it asked for holds for all its deliveries, 15 minutes at most; 410,
 * or five days of nothing but failures, disable it. Sorted by id.
 */
export async function recordEndpointFailures(
  tx: Tx,
  failuresByEndpoint: readonly EndpointFailures[],
): Promise<FailingEndpoint[]> {
  const { rows } = await sql<FailingEndpoint>`
    update endpoints e set
      failing_since = y.since, failures = e.failures + y.failures,
      paused_until = nullif(greatest(coalesce(e.paused_until, '-infinity'), now() + y.wait * interval '1 ms',
        case when e.failures + y.failures >= ${failuresToBackOff}
          then now() + least(interval '1 minute', (now() - y.since) / 4) else '-infinity' end), '-infinity'),
      status = case when y.why is null then e.status else 'disabled' end,
      disabled_reason = y.why,
      bury_until = case when y.why is null then null else now() + ${deadLetterFor} end,
      recovered_at = case when y.why is null then e.recovered_at end,
      version = e.version + case when y.why is null then 0 else 1 end
    from (
      select t.id, t.failures, nullif(least(t.wait, ${longestRestMs}), 0) as wait, coalesce(o.failing_since, now()) as since,
        case when t.gone then 'gone: the receiver answered 410'
          when o.failing_since <= now() - interval '5 days' then 'failing: five days of nothing but failures' end as why
      from unnest(${failuresByEndpoint.map((item) => item.endpointId)}::uuid[], ${failuresByEndpoint.map((item) => item.failures)}::int[],
        ${failuresByEndpoint.map((item) => item.gone)}::bool[], ${failuresByEndpoint.map((item) => item.retryAfterMs)}::float8[])
        t(id, failures, gone, wait)
      join endpoints o on o.id = t.id and o.status in ('active', 'paused') order by t.id for update of o) y
    where e.id = y.id
    returning e.id, e.status, e.disabled_reason as "disabledReason",
      e.paused_until is not null and e.paused_until > now() as resting`.execute(tx);
  return rows;
}

/** A success at endpoints that had been failing: their rest is over, and what waits for its next try is due at once. */
export async function recordEndpointRecovery(tx: Tx, endpointIds: readonly string[]): Promise<void> {
  await sql`
    update endpoints set failing_since = null, failures = 0, paused_until = null, recovered_at = now()
    where id in (select id from endpoints where id = any (${[...endpointIds]}::uuid[]) and failing_since is not null
      and status <> 'deleted' order by id for update)`.execute(tx);
}

/**
 * Gives leases back that will not be used; the claim brings the deliveries again. (A bare `due_at > now()` would make
 * the planner of an empty database read every due delivery instead of these.)
 */
export async function releaseLeases(db: Db, keys: readonly Key[]): Promise<void> {
  await sql`
    update deliveries d set due_at = now() from ${keyArrays(keys)}) x(subject_id, endpoint_id, stage)
    where ${match} and d.state = 0 and coalesce(d.due_at, '-infinity') > now()`.execute(db);
}

/** Releases what processes had leased whose sessions have ended, for whoever claims next; answers how many. */
export async function releaseDeliveriesOf(tx: Tx, processIds: readonly number[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update deliveries d set due_at = now()
    from (
      select l.subject_id, l.endpoint_id, l.stage from endpoints e cross join lateral (
        select subject_id, endpoint_id, stage from deliveries
        where endpoint_id = e.id and due_at > now() and state = 0 and leased_by = any (${[...processIds]}::int[])
        for update skip locked) l) x
    where ${match}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
