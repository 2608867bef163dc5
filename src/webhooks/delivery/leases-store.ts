// Table delivery_leases: leases of published deliveries, which have no due_at of their own while their publisher attempts them.
import { type RawBuilder, sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { deliveryState, leaseMs, pendingStates } from './delivery.ts';
import { lockDeliveries } from './locks-store.ts';

const state = sqlConstants(deliveryState);

/** A lease of one delivery, or of those that one statement published. */
export const lease = sql`${sql.lit(leaseMs)} * interval '1 ms'`;

/** A stage waits at most this long for an earlier one that does not end. */
export const waitingMax = sql`interval '1 hour'`;

/** True if the delivery has not ended. Whether it has a `due_at` does not say so: a published lease has it for all its deliveries. */
export const isPending = (delivery: 'd' | 'p' | 'q'): RawBuilder<boolean> =>
  sql`${sql.ref(delivery)}.state in (${sql.join(Object.values(pendingStates).map((one) => sql.lit(one)))})`;

/** Leases those rows of the CTE `new` to the process that `isLeased`: one row, none if there are none. */
export const insertLease = (
  id: string,
  processId: number,
  accountIds: readonly string[],
  isLeased: RawBuilder<unknown>,
) => sql`
  insert into delivery_leases (id, leased_by, due_at, account_ids, first_id, last_id)
  select ${id}::uuid, ${processId}::int, now() + ${lease}, ${arrayText(accountIds)}::uuid[], min(n.id::text)::uuid, max(n.id::text)::uuid
  from new n where ${isLeased} having count(*) > 0`;

/** Ends leases whose deliveries are all recorded as delivered. */
export const endLeases = (ids: readonly string[]) => sql`
  delete from delivery_leases where id = any (${arrayText(ids)}::uuid[])`;

/** A lease that has expired, or whose process has ended. */
export interface EndedLease {
  id: string;
  leasedBy: number;
  accountIds: string[];
  firstId: string;
  lastId: string;
}

/** Finds up to `limit` leases that have expired or belong to these processes. */
export async function findEndedLeases(
  tx: Tx,
  processIds: readonly number[],
  limit: number,
): Promise<EndedLease[]> {
  const { rows } = await sql<EndedLease>`
    select id, leased_by as "leasedBy", account_ids as "accountIds", first_id as "firstId", last_id as "lastId" from delivery_leases
    where due_at <= now() or leased_by = any (${[...processIds]}::int[]) limit ${limit}::int`.execute(tx);
  return rows;
}

/**
 * The pending deliveries of leases, `q`. A lateral subquery with `offset 0` reads the range of one lease by its index: with a plain join, the planner preferred
 * to read every delivery, from five leases on.
 */
function publishedUnder(leases: readonly EndedLease[]) {
  const ranges = leases.flatMap(({ accountIds, ...range }) =>
    accountIds.map((accountId) => ({ accountId, ...range })),
  );
  return sql`
    unnest(${arrayText(ranges.map((one) => one.accountId))}::uuid[], ${arrayText(ranges.map((one) => one.firstId))}::uuid[],
      ${arrayText(ranges.map((one) => one.lastId))}::uuid[], ${arrayText(ranges.map((one) => one.leasedBy))}::int[])
      l(account_id, first_id, last_id, leased_by)
    cross join lateral (
      select q.subject_id, q.endpoint_id, q.stage, q.id from deliveries q
      where q.account_id = l.account_id and q.id between l.first_id and l.last_id and q.due_at is null
        and q.leased_by = l.leased_by and ${isPending('q')} offset 0) q`;
}

/** Locks the pending deliveries of leases, in the order of `lockKey`. */
export async function lockPublished(tx: Tx, leases: readonly EndedLease[]): Promise<void> {
  const published = sql`select q.subject_id, q.endpoint_id, q.stage, q.id from ${publishedUnder(leases)}`;
  await sql`${lockDeliveries(published)}`.execute(tx);
}

/** Makes the pending deliveries of leases due, which must be locked; later stages still wait for the first. Returns how many there were. */
export async function releasePublished(tx: Tx, leases: readonly EndedLease[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update deliveries d set due_at = now() + case when d.state = ${state.waiting} then ${waitingMax} else interval '0' end
    from (select q.subject_id, q.endpoint_id, q.stage from ${publishedUnder(leases)}) x
    where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.stage = x.stage`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Removes leases; returns how many were there. */
export async function removeLeases(tx: Tx, leases: readonly EndedLease[]): Promise<number> {
  const { numAffectedRows } = await sql`${endLeases(leases.map(({ id }) => id))}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
