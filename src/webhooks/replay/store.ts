// Statements of replays: of one delivery, and of a time range in steps.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { type DeliveryKey, deliveryState } from '../delivery/delivery.ts';
import { deliveryKeys } from '../delivery/keys-store.ts';
import { isPending, waitingMax } from '../delivery/leases-store.ts';
import { lockDeliveries } from '../delivery/locks-store.ts';
import { endpointStatus } from '../endpoints/status.ts';

const state = sqlConstants(deliveryState);
const status = sqlConstants(endpointStatus);

const keyRows = (keys: readonly DeliveryKey[]) =>
  sql`unnest(${deliveryKeys(keys)}) x(subject_id, endpoint_id, stage)`;

/**
 * Locks every stage of the messages of these deliveries, so that a replay and the end of an earlier stage cannot miss each other.
 */
async function lockStages(tx: Tx, met: readonly DeliveryKey[]): Promise<void> {
  const stages = sql`
    select d.subject_id, d.endpoint_id, d.stage, d.id
    from (select distinct x.subject_id, x.endpoint_id from ${keyRows(met)}) s
    join deliveries d on d.subject_id = s.subject_id and d.endpoint_id = s.endpoint_id`;
  await sql`${lockDeliveries(stages)}`.execute(tx);
}

/**
 * Makes deliveries pending again, due in their order, with a fresh retry schedule and the same `webhook-id`. Skips those that may be running, and those
 * whose state is not one of `states`. A later stage waits for an earlier one that is pending or replayed too. A success is copied to `attempts` before
 * its row loses it. Returns how many it made pending. Their stages must be locked: only a later statement sees what the locks waited for.
 */
async function replayLocked(tx: Tx, met: readonly DeliveryKey[], states: readonly number[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with stages as materialized (
      select d.subject_id, d.endpoint_id, d.stage, d.id, d.state, d.due_at, d.attempts, d.delivered_at, d.last_status,
        d.last_ms, d.last_answer
      from (select distinct x.subject_id, x.endpoint_id from ${keyRows(met)}) s
      join deliveries d on d.subject_id = s.subject_id and d.endpoint_id = s.endpoint_id),
    picked as materialized (
      select l.*, row_number() over (order by l.id) as rank
      from stages l join ${keyRows(met)} on x.subject_id = l.subject_id and x.endpoint_id = l.endpoint_id and x.stage = l.stage
      where not (l.state = ${state.ready} and coalesce(l.due_at, 'infinity') > now()) and l.state = any (${[...states]}::smallint[])),
    kept as (
      insert into attempts (subject_id, endpoint_id, stage, no, at, status, ms, answer)
      select subject_id, endpoint_id, stage, attempts, delivered_at, last_status, last_ms, last_answer
      from picked where state = ${state.delivered}),
    placed as (
      select p.*, p.stage > 0 and exists (select from stages q
        where q.subject_id = p.subject_id and q.endpoint_id = p.endpoint_id and q.stage > 0 and q.id < p.id
          and (${isPending('q')} or q.id in (select id from picked))) as waits
      from picked p),
    moved as (
      update deliveries d set state = case when p.waits then ${state.waiting} else ${state.ready} end,
        due_at = now() + case when p.waits then ${waitingMax} else p.rank * interval '1 microsecond' end,
        attempts_before = d.attempts, delivered_at = null
      from placed p
      where d.subject_id = p.subject_id and d.endpoint_id = p.endpoint_id and d.stage = p.stage
      returning d.id)
    select count(*)::int as n from moved`.execute(tx);
  return rows[0]?.n ?? 0;
}

async function replayMet(
  tx: Tx,
  met: readonly DeliveryKey[],
  states: readonly number[] = Object.values(deliveryState),
): Promise<number> {
  if (met.length === 0) return 0;
  await lockStages(tx, met);
  return replayLocked(tx, met, states);
}

const keyColumns = sql`d.subject_id as "subjectId", d.endpoint_id as "endpointId", d.stage`;

/** Replays one delivery of the account; false if there is none. */
export async function replayOne(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { rows } = await sql<DeliveryKey>`
    select ${keyColumns} from deliveries d where d.account_id = ${accountId} and d.id = ${id}`.execute(tx);
  await replayMet(tx, rows);
  return rows.length === 1;
}

export interface ReplayRow {
  id: string;
  endpoint_id: string;
  from_at: Date;
  to_at: Date;
  states: number[];
  /** The last delivery examined. */
  after_id: string;
  replayed: number;
  created_at: Date;
  finished_at: Date | null;
}

const columns = sql`id, endpoint_id, from_at, to_at, states, after_id, replayed, created_at, finished_at`;

/** Inserts a replay; `replayStep` performs it. */
export async function insertReplay(
  tx: Tx,
  replay: {
    id: string;
    accountId: string;
    endpointId: string;
    from: Date;
    to: Date;
    states: readonly number[];
  },
): Promise<void> {
  await sql`
    insert into replays (id, account_id, endpoint_id, from_at, to_at, states, after_id)
    values (${replay.id}, ${replay.accountId}, ${replay.endpointId}, ${replay.from}, ${replay.to},
      ${[...replay.states]}::smallint[], uuid7_floor(greatest(${replay.from}::timestamptz, 'epoch')))`.execute(
    tx,
  );
}

/** Reads a replay that exists. */
export async function findReplay(tx: Tx, id: string): Promise<ReplayRow> {
  const { rows } = await sql<ReplayRow>`select ${columns} from replays where id = ${id}`.execute(tx);
  return rows[0] as ReplayRow;
}

/** An endpoint's replays, newest first; `before` is the last one of the previous page. */
export async function listReplays(
  db: Db,
  endpointId: string,
  page: { limit: number; before?: string },
): Promise<ReplayRow[]> {
  const { rows } = await sql<ReplayRow>`
    select ${columns} from replays
    where endpoint_id = ${endpointId} and (${page.before ?? null}::uuid is null or id < ${page.before ?? null}::uuid)
    order by id desc limit ${page.limit}::int`.execute(db);
  return rows;
}

/** Unfinished replays of endpoints that accept deliveries, by id. */
export async function findOpenReplays(
  db: Db,
  page: { after: string; limit: number },
): Promise<{ id: string; endpointId: string }[]> {
  const { rows } = await sql<{ id: string; endpointId: string }>`
    select r.id, r.endpoint_id as "endpointId" from replays r join endpoints e on e.id = r.endpoint_id
    where r.finished_at is null and r.id > ${page.after} and e.status in (${status.active}, ${status.paused})
    order by r.id limit ${page.limit}::int`.execute(db);
  return rows;
}

/**
 * Replays the next `limit` deliveries and updates the progress, in one transaction: a crash neither repeats nor skips any. Ignores deliveries created
 * after the replay was requested. Returns how many were examined; 0 also if another process has it locked.
 */
export async function replayStep(tx: Tx, id: string, limit: number): Promise<number> {
  const locked = await sql<{ states: number[] }>`
    select states from replays where id = ${id} and finished_at is null for update skip locked`.execute(tx);
  const [replay] = locked.rows;
  if (!replay) return 0;
  const { rows: met } = await sql<DeliveryKey & { id: string }>`
    select x.* from replays r join lateral (
      select ${keyColumns}, d.id from deliveries d
      where d.account_id = r.account_id and d.id > r.after_id and d.endpoint_id = r.endpoint_id and d.state = any (r.states)
        and d.id < uuid7_floor(greatest(least(r.to_at, r.created_at + interval '1 ms'), 'epoch'))
      order by d.id limit ${limit}::int) x on true
    where r.id = ${id} order by x.id`.execute(tx);
  const replayed = await replayMet(tx, met, replay.states);
  await sql`
    update replays set replayed = replayed + ${replayed}, after_id = coalesce(${met.at(-1)?.id ?? null}::uuid, after_id),
      finished_at = case when ${met.length}::int < ${limit}::int then now() end
    where id = ${id}`.execute(tx);
  return met.length;
}
