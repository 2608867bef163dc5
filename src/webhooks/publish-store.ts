// The statement by which events become deliveries.
import { sql } from 'kysely';
import { arrayText } from '../db/array-text.ts';
import type { Tx } from '../db/db.ts';
import { jsonLines } from '../db/json-lines.ts';
import { type AttemptResult, failuresToBackOff, type LeasedDelivery, leaseMs } from './delivery/delivery.ts';

export interface NewEvent {
  accountId: string;
  subjectId: string;
  stage: number;
  kind: string;
  messageId: string | null;
  body: string;
}

/** A delivery that was written and leased: `place` 1 may start now, the rows after it up to the next such follow it. */
export type Started = Pick<LeasedDelivery, 'id' | 'endpointId' | 'version' | 'failures'> & {
  /** The place of its event among those given, from 1. */
  no: number;
  place: number;
};

/**
 * Writes one delivery for each endpoint that takes the event, and answers those that may start now, leased to the
 * process, with the later stages that wait for them alone. A stage waits (an hour at most) behind an earlier delivery of its subject to
 * the same endpoint that has not ended; those rows are locked first, so that their end and this insert cannot miss each
 * other. Must be a statement of its own after the subject's row locks are held: its snapshot has to see what those locks
 * waited for. A stage is never written twice: one that is there is left out, and should two publish without those locks,
 * the table's key refuses the later one (`on conflict` would cost each row a second record in the log).
 */
export async function insertDeliveries(
  tx: Tx,
  events: readonly NewEvent[],
  notTo: readonly string[],
  processId: number,
): Promise<Started[]> {
  const { rows } = await sql<Started>`
    /* insertDeliveries */ with v as materialized (
      select * from unnest(${arrayText(events.map((event) => event.accountId))}::uuid[],
        ${arrayText(events.map((event) => event.subjectId))}::uuid[], ${arrayText(events.map((event) => event.stage))}::smallint[],
        ${events.map((event) => event.kind)}::text[], ${events.map((event) => event.messageId)}::text[],
        ${jsonLines(events.map((event) => event.body))}) with ordinality v(account_id, subject_id, stage, kind, message_id, body, no)),
    known as materialized (
      select p.subject_id, p.endpoint_id, p.stage from (select distinct subject_id from v where stage > 0) s
      join deliveries p on p.subject_id = s.subject_id),
    earlier as materialized (
      select p.subject_id, p.endpoint_id
      from (select * from known order by subject_id, endpoint_id, stage) k
      join deliveries p on p.subject_id = k.subject_id and p.endpoint_id = k.endpoint_id and p.stage = k.stage
      where p.due_at is not null order by p.subject_id, p.endpoint_id, p.stage for update of p),
    new as materialized (
      select uuid7() as id, v.*, e.id as endpoint_id, e.version, e.failures, e.status = 'disabled' as dead,
        row_number() over (partition by v.subject_id, e.id order by v.stage) as place,
        (v.subject_id, e.id) in (select subject_id, endpoint_id from earlier) as behind,
        e.status = 'active' and e.failures < ${failuresToBackOff} and e.paused_until is null
          and not e.id = any (${[...notTo]}::uuid[]) as open
      from v join endpoints e on e.account_id = v.account_id and e.status <> 'deleted' and v.kind = any (e.events)
      where (v.subject_id, e.id, v.stage) not in (select subject_id, endpoint_id, stage from known)),
    written as (
      insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, message_id, body, state, due_at, leased_by, last_failure)
      select id, account_id, endpoint_id, subject_id, stage, kind, message_id, body,
        case when dead then 2 when behind or place > 1 then 3 else 0 end,
        case when dead then null when behind or place > 1 then now() + interval '1 hour'
          when open then now() + ${leaseMs}::int * interval '1 ms' else now() end,
        ${processId}::int,
        case when dead then 'endpoint_disabled' end
      from new)
    select n.id, n.no::int, n.endpoint_id as "endpointId", n.version, n.failures, n.place::int
    from new n where n.open and not n.behind and not n.dead
    order by n.subject_id, n.endpoint_id, n.place`.execute(tx);
  return rows;
}

/** Writes one delivery to one endpoint that has already been tried, whatever the endpoint's state: a test event's. */
export async function insertAttemptedDelivery(
  tx: Tx,
  { outcome, ...delivery }: { id: string; endpointId: string; outcome: AttemptResult } & NewEvent,
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
