// Statements of replays: of one delivery, and of a stretch of time in steps.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';

/**
 * Makes the picked rows pending anew, due in their order; one whose call may be under way is left alone. A success
 * moves into the attempts before its row forgets it. The schedule of tries begins anew; the receiver's id stays.
 */
const replayPicked = sql`
  kept as (
    insert into attempts (subject_id, endpoint_id, stage, no, at, status, ms, answer)
    select subject_id, endpoint_id, stage, attempts, delivered_at, last_status, last_ms, last_answer from picked where state = 1),
  moved as (
    update deliveries d set state = 0, due_at = now() + p.place * interval '1 microsecond',
      attempts_before = d.attempts, delivered_at = null
    from (select *, row_number() over (order by id) as place from picked) p
    where d.subject_id = p.subject_id and d.endpoint_id = p.endpoint_id and d.stage = p.stage
      and not (d.state = 0 and d.due_at > now())
    returning d.id)`;

/** Replays one delivery of the account; false if there is none. */
export async function replayOne(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    with picked as (select * from deliveries where account_id = ${accountId} and id = ${id} for update), ${replayPicked}
    select count(*) as found from picked`.execute(tx);
  return rows[0]?.found === 1;
}

export interface ReplayRow {
  id: string;
  endpoint_id: string;
  from_at: Date;
  to_at: Date;
  states: number[];
  replayed: number;
  finished_at: Date | null;
}

const columns = sql`id, endpoint_id, from_at, to_at, states, replayed, finished_at`;

/** Writes down what is to be replayed; `replayStep` does it. */
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

/** Replays that are not finished, the oldest first. */
export async function findOpenReplays(db: Db, limit: number): Promise<{ id: string; endpointId: string }[]> {
  const { rows } = await sql<{ id: string; endpointId: string }>`
    select r.id, r.endpoint_id as "endpointId" from replays r join endpoints e on e.id = r.endpoint_id
    where r.finished_at is null and e.status in ('active', 'paused') order by r.id limit ${limit}::int`.execute(
    db,
  );
  return rows;
}

/**
 * The next `limit` deliveries of a replay, and how far it has come, in one transaction: a crash neither repeats nor
 * leaves out any. Answers how many were met; 0 also if another process is at it.
 */
export async function replayStep(tx: Tx, id: string, limit: number): Promise<number> {
  const { rows } = await sql<{ met: number }>`
    with replay as (select * from replays where id = ${id} and finished_at is null for update skip locked),
    picked as (
      select d.* from replay r join lateral (
        select * from deliveries
        where account_id = r.account_id and id > r.after_id and id < uuid7_floor(greatest(r.to_at, 'epoch'))
          and endpoint_id = r.endpoint_id and state = any (r.states)
        order by id limit ${limit}::int for update) d on true),
    ${replayPicked},
    step as (
      update replays r set replayed = r.replayed + (select count(*) from moved),
        after_id = coalesce((select id from picked order by id desc limit 1), r.after_id),
        finished_at = case when (select count(*) from picked) < ${limit}::int then now() end
      from replay where r.id = replay.id)
    select count(*) as met from picked`.execute(tx);
  return rows[0]?.met ?? 0;
}
