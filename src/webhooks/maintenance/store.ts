// Statements of endpoint maintenance.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { recordDead } from '../delivery/dead-store.ts';
import { deadReason, deliveryState } from '../delivery/delivery.ts';
import { insertDeadCounts } from '../delivery/delivery-counts-store.ts';
import { endpointStatus } from '../endpoints/status.ts';

const state = sqlConstants(deliveryState);
const status = sqlConstants(endpointStatus);
const reason = sqlConstants(deadReason);

/** Endpoints that need maintenance, by id. */
export async function findEndpointsToMaintain(
  db: Db,
  page: { after: string; limit: number },
): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    select id from endpoints where (bury_until is not null or recovered_at is not null) and id > ${page.after}
    order by id limit ${page.limit}::int`.execute(db);
  return rows;
}

export interface Maintenance {
  id: string;
  /** Why pending deliveries become dead; null: they do not. */
  deadReason: string | null;
  /** No statement can still insert a delivery, and no lease that expired has one that is not due yet. */
  deadLetteringEnds: boolean;
  recoveredAt: Date | null;
}

/** The endpoint's maintenance, locked; undefined if another process has it or nothing is left. */
export async function lockMaintenance(tx: Tx, id: string): Promise<Maintenance | undefined> {
  const { rows } = await sql<Maintenance>`
    select id, case when bury_until is not null then
        case when status = ${status.deleted} then ${reason.endpointDeleted} else ${reason.endpointDisabled} end end as "deadReason",
      coalesce(bury_until <= now() and not exists (select from delivery_leases l where l.due_at <= now() and endpoints.account_id = any (l.account_ids)), true)
        as "deadLetteringEnds", recovered_at as "recoveredAt"
    from endpoints where id = ${id} and (bury_until is not null or recovered_at is not null)
    for update skip locked`.execute(tx);
  return rows[0];
}

/** Makes up to `limit` pending deliveries of an endpoint dead; returns how many. */
export async function deadLetterDeliveries(
  tx: Tx,
  id: string,
  reason: string,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with moved as (
      update deliveries d set state = ${state.dead}, due_at = null, dead_at = now(), last_failure = ${reason}
      from (select subject_id, endpoint_id, stage from deliveries
        where endpoint_id = ${id} and due_at is not null order by due_at limit ${limit}::int for update skip locked) x
      where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.stage = x.stage
      returning d.account_id, d.endpoint_id, d.kind),
    recorded as (${recordDead(sql`moved`, { where: sql`true`, reason: sql`${reason}::text` })}),
    counted as (${insertDeadCounts(sql`moved`)})
    select count(*)::int as n from moved`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Ends the dead-lettering of an endpoint. */
export async function endDeadLettering(tx: Tx, id: string): Promise<void> {
  await sql`update endpoints set bury_until = null where id = ${id}`.execute(tx);
}

/** Whether fewer than `limit` deliveries of the endpoint are due. */
export async function hasCapacity(tx: Tx, id: string, limit: number): Promise<boolean> {
  const { rows } = await sql<{ due: number }>`
    select count(*) as due from (
      select from deliveries where endpoint_id = ${id} and due_at <= now() limit ${limit}::int) x`.execute(
    tx,
  );
  return (rows[0]?.due ?? 0) < limit;
}

/**
 * Makes up to `limit` deliveries due now that failed before the success, except those whose `Retry-After` has not passed. Returns how many, and how many
 * remain. A delivery that fails while others succeed is retried with increasing delays (2, 4, 8 … seconds, up to an hour); these retries do not
 * use up its schedule.
 */
export async function recoverDeliveries(
  tx: Tx,
  id: string,
  recoveredAt: Date,
  limit: number,
): Promise<{ due: number; left: number }> {
  const failedBefore = sql`endpoint_id = ${id} and due_at > now() and state = ${state.retrying} and last_attempt_at <= ${recoveredAt}
    and coalesce(retry_after, '-infinity') <= now()`;
  const { numAffectedRows } = await sql`
    update deliveries d set due_at = now(), attempts_before = d.attempts_before + 1
    from (select subject_id, endpoint_id, stage from deliveries
      where ${failedBefore} and last_attempt_at < now() - least(2 ^ least(attempts, 12) * interval '1 s', interval '1 hour')
      order by due_at limit ${limit}::int for update skip locked) x
    where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.stage = x.stage`.execute(tx);
  const { rows } = await sql<{ left: number }>`
    select count(*) as left from (select from deliveries where ${failedBefore} limit 1) x`.execute(tx);
  return { due: Number(numAffectedRows ?? 0), left: rows[0]?.left ?? 0 };
}

/** Ends an endpoint's recovery. */
export async function endRecovery(tx: Tx, id: string): Promise<void> {
  await sql`update endpoints set recovered_at = null where id = ${id}`.execute(tx);
}
