// The statement by which events become deliveries.
import { sql } from 'kysely';
import type { Tx } from '../db/db.ts';
import { jsonLines } from '../db/json-lines.ts';
import { failuresToBackOff, leaseMs, type Outcome, type Startable } from './delivering/delivery.ts';

export interface NewEvent {
  accountId: string;
  subjectId: string;
  stage: number;
  kind: string;
  messageId: string | null;
  body: string;
}

/** `place` 1 may start now; those after it follow it. */
export type Started = Omit<Startable, 'body' | 'failedTries' | 'followers'> & { place: number };

/**
 * Writes one delivery for each endpoint that takes the event, and answers those that may start now, leased, with the
 * later stages that wait for them alone. A stage waits (an hour at most) behind an earlier delivery of its subject to
 * the same endpoint that has not ended; those rows are locked first, so that their end and this insert cannot miss each
 * other. Must be a statement of its own after the subject's row locks are held: its snapshot has to see what those locks
 * waited for. A stage is never written twice.
 */
export async function insertDeliveries(
  tx: Tx,
  events: readonly NewEvent[],
  notTo: readonly string[],
): Promise<Started[]> {
  const { rows } = await sql<Started>`
    with v as materialized (
      select * from unnest(${events.map((event) => event.accountId)}::uuid[],
        ${events.map((event) => event.subjectId)}::uuid[], ${events.map((event) => event.stage)}::smallint[],
        ${events.map((event) => event.kind)}::text[], ${events.map((event) => event.messageId)}::text[],
        ${jsonLines(events.map((event) => event.body))}) v(account_id, subject_id, stage, kind, message_id, body)),
    earlier as materialized (
      select p.subject_id, p.endpoint_id from (select distinct subject_id from v where stage > 0 order by 1) s
      join deliveries p on p.subject_id = s.subject_id
      where p.due_at is not null order by p.subject_id, p.endpoint_id, p.stage for update of p),
    new as materialized (
      select uuid7() as id, v.*, e.id as endpoint_id, e.version, e.failures, e.status = 'disabled' as dead,
        row_number() over (partition by v.subject_id, e.id order by v.stage) as place,
        (v.subject_id, e.id) in (select subject_id, endpoint_id from earlier) as behind,
        e.status = 'active' and e.failures < ${failuresToBackOff}
          and (e.paused_until is null or e.paused_until <= now())
          and not e.id = any (${[...notTo]}::uuid[]) as open
      from v join endpoints e on e.account_id = v.account_id and e.status <> 'deleted' and v.kind = any (e.events)),
    written as (
      insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, message_id, body, state, due_at, last_failure)
      select id, account_id, endpoint_id, subject_id, stage, kind, message_id, body,
        case when dead then 2 when behind or place > 1 then 3 else 0 end,
        case when dead then null when behind or place > 1 then now() + interval '1 hour'
          when open then now() + ${leaseMs}::int * interval '1 ms' else now() end,
        case when dead then 'endpoint_disabled' end
      from new on conflict do nothing returning id)
    select n.id, n.subject_id as "subjectId", n.endpoint_id as "endpointId", n.stage, n.version, n.failures, n.place
    from new n where n.open and not n.behind and not n.dead and (n.id in (select id from written)) is true
    order by n.place`.execute(tx);
  return rows;
}

/** Writes one delivery to one endpoint that has already been tried, whatever the endpoint's state: a test event's. */
export async function insertTriedDelivery(
  tx: Tx,
  { outcome, ...delivery }: { id: string; endpointId: string; outcome: Outcome } & NewEvent,
): Promise<void> {
  const { delivered, status, durationMs, answer } = outcome;
  const failure = delivered ? null : outcome.reason;
  await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, message_id, body, state, attempts,
      last_status, last_failure, last_ms, last_answer, last_attempt_at, delivered_at)
    values (${delivery.id}, ${delivery.accountId}, ${delivery.endpointId}, ${delivery.subjectId}, ${delivery.stage},
      ${delivery.kind}, ${delivery.messageId}, ${delivery.body}, ${delivered ? 1 : 2}, 1, ${status},
      ${failure}, ${durationMs}, ${delivered ? answer : null}, now(), case when ${delivered} then now() end)`.execute(
    tx,
  );
  if (outcome.delivered) return;
  await sql`
    insert into attempts (subject_id, endpoint_id, stage, no, status, failure, ms, answer, detail)
    values (${delivery.subjectId}, ${delivery.endpointId}, ${delivery.stage}, 1, ${status},
      ${failure}, ${durationMs}, ${answer}, ${outcome.detail})`.execute(tx);
}
