// Statements of replays: of one delivery, and of a time range in steps.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { deliveryState } from '../delivery/delivery.ts';
import { endpointStatus } from '../endpoints/status.ts';

const state = sqlConstants(deliveryState);
const status = sqlConstants(endpointStatus);

/**
 * Makes the deliveries of the CTE `met` pending again, due in their order, with a fresh retry schedule and the same `webhook-id`. Skips those that may be
 * running. A later stage waits for an earlier one that is pending or replayed too. The message's deliveries are locked first, in key order, so that
 * this and the end of an earlier stage cannot miss each other. A success is copied to `attempts` before its row loses it.
 */
const replayMatched = (wanted: RawBuilder<boolean>) => sql`
  locked as materialized (
    select d.subject_id, d.endpoint_id, d.stage, d.id, d.state, d.due_at, d.attempts, d.delivered_at, d.last_status,
      d.last_ms, d.last_answer
    from (select distinct subject_id, endpoint_id from met) s
    join deliveries d on d.subject_id = s.subject_id and d.endpoint_id = s.endpoint_id
    order by d.subject_id, d.endpoint_id, d.stage for update of d),
  picked as materialized (
    select l.*, row_number() over (order by l.id) as rank
    from locked l join met m on m.subject_id = l.subject_id and m.endpoint_id = l.endpoint_id and m.stage = l.stage
    where not (l.state = ${state.ready} and l.due_at > now()) and ${wanted}),
  kept as (
    insert into attempts (subject_id, endpoint_id, stage, no, at, status, ms, answer)
    select subject_id, endpoint_id, stage, attempts, delivered_at, last_status, last_ms, last_answer
    from picked where state = ${state.delivered}),
  placed as (
    select p.*, p.stage > 0 and exists (select from locked q
      where q.subject_id = p.subject_id and q.endpoint_id = p.endpoint_id and q.stage > 0 and q.id < p.id
        and (q.due_at is not null or q.id in (select id from picked))) as waits
    from picked p),
  moved as (
    update deliveries d set state = case when p.waits then ${state.waiting} else ${state.ready} end,
      due_at = now() + case when p.waits then interval '1 hour' else p.rank * interval '1 microsecond' end,
      attempts_before = d.attempts, delivered_at = null
    from placed p
    where d.subject_id = p.subject_id and d.endpoint_id = p.endpoint_id and d.stage = p.stage
    returning d.id)`;

/** Replays one delivery of the account; false if there is none. */
export async function replayOne(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    with met as (
      select subject_id, endpoint_id, stage from deliveries where account_id = ${accountId} and id = ${id}),
    ${replayMatched(sql`true`)}
    select count(*) as found from met`.execute(tx);
  return rows[0]?.found === 1;
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
  const { rows } = await sql<{ met: number }>`
    with replay as (select * from replays where id = ${id} and finished_at is null for update skip locked),
    met as materialized (
      select d.* from replay r join lateral (
        select subject_id, endpoint_id, stage, id, r.states from deliveries
        where account_id = r.account_id and id > r.after_id and endpoint_id = r.endpoint_id and state = any (r.states)
          and id < uuid7_floor(greatest(least(r.to_at, r.created_at + interval '1 ms'), 'epoch'))
        order by id limit ${limit}::int) d on true),
    ${replayMatched(sql`l.state = any (m.states)`)},
    step as (
      update replays r set replayed = r.replayed + (select count(*) from moved),
        after_id = coalesce((select id from met order by id desc limit 1), r.after_id),
        finished_at = case when (select count(*) from met) < ${limit}::int then now() end
      from replay where r.id = replay.id)
    select count(*) as met from met`.execute(tx);
  return rows[0]?.met ?? 0;
}
