// What is due in any queue, in one statement: the question of an idle process.
import { sql } from 'kysely';
import { codePriority, state } from './clock-fixes.ts';
import type { Db } from './db.ts';
import { lockClass } from './process-lock.ts';

/** The queues with work, by the name of their loop. */
export interface DueWork {
  dispatch: boolean;
  queue: boolean;
  feed: boolean;
  removeCodes: boolean;
  deliver: boolean;
  endpointMaintenance: boolean;
  reconcile: boolean;
  calendarSync: boolean;
  mediaCleanup: boolean;
  templateSync: boolean;
  senderChecks: boolean;
  foldStatistics: boolean;
  foldConversations: boolean;
  releaseLeases: boolean;
  clock: boolean;
}

export interface DueWorkFound extends DueWork {
  /** Another process is connected, which may leave work to this one. */
  hasOthers: boolean;
}

/** Rows that are due before the next look count, so that a loop which is woken now claims them when they are due. */
const aheadSeconds = 2.5;
const soon = sql`now() + ${sql.lit(aheadSeconds)} * interval '1 second'`;

/**
 * Finds the queues that have work now or within 2.5 s. May name a queue whose loop then finds nothing, such as one
 * whose number is halted; never omits one.
 */
export async function findDueWork(db: Db, processId: number): Promise<DueWorkFound> {
  const { rows } = await sql<DueWorkFound>`
    /* findDueWork */ with recursive due_endpoints(id) as (
      (select endpoint_id from deliveries where due_at is not null order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from deliveries d where d.due_at is not null and d.endpoint_id > w.id
        order by d.endpoint_id limit 1) from due_endpoints w where w.id is not null)
    select
      exists (select from senders s cross join lateral (
        select from messages m where m.sender_id = s.id and m.due_at <= ${soon} limit 1) x) as dispatch,
      exists (select from send_cancellations where due_at <= ${soon})
        or exists (select from templates where recheck_since is not null)
        or exists (select from template_holds) as queue,
      exists (select from send_feeds where due_at <= ${soon}) as feed,
      -- one-time codes that wait: they expire within minutes
      exists (select from senders s cross join lateral (
        select from messages m where m.sender_id = s.id and m.priority = ${codePriority} and m.due_at is not null
          and m.state in (${state.queued}, ${state.dispatching}) limit 1) x)
        or exists (select from old_codes where due_at <= ${soon}) as "removeCodes",
      exists (select from due_endpoints w join endpoints e on e.id = w.id cross join lateral (
        select from deliveries d where d.endpoint_id = e.id and d.due_at <= ${soon} limit 1) x
        where e.paused_until is null or e.paused_until <= ${soon}) as deliver,
      exists (select from endpoints where bury_until is not null or recovered_at is not null)
        or exists (select from replays where finished_at is null)
        or exists (select from endpoint_changes) or exists (select from dead_deliveries) as "endpointMaintenance",
      exists (select from bookings where due_at <= ${soon}) as reconcile,
      exists (select from calendar_connections where dead_at is null and changes_due_at <= now()) as "calendarSync",
      exists (select from media where due_at <= now()) as "mediaCleanup",
      exists (select from template_readings where due_at <= now())
        or exists (select from templates where read_due_at <= now()) as "templateSync",
      exists (select from sender_states where due_at <= now()) as "senderChecks",
      -- statistics report until when they are complete
      exists (select from statistics_folds where folded_until not between now() - interval '10 seconds' and now()) as "foldStatistics",
      exists (select from conversation_changes) as "foldConversations",
      exists (select from processes where pg_try_advisory_xact_lock(${lockClass}, id))
        or exists (select from delivery_leases where due_at <= now()) as "releaseLeases",
      exists (select from clock_steps where mended is not null) as clock,
      exists (select from processes where id <> ${processId} and ended_at is null) as "hasOthers"`.execute(
    db,
  );
  return rows[0] as DueWorkFound;
}
