// Fragments by which the statements on deliveries count attempts and dead deliveries.
import { type RawBuilder, sql } from 'kysely';
import {
  type CountChange,
  durationClass,
  givenChanges,
  insertChanges,
  measureSql,
} from '../../statistics/count-store.ts';

/** Counts one attempt of each row of the CTE `from`, which has `account_id`, `endpoint_id` and the duration `ms`. */
const attempts = (from: RawBuilder<unknown>, result: RawBuilder<number>) => sql`
  select f.account_id, f.endpoint_id, null::uuid, now(), ${result}, ${durationClass(sql`f.ms`)}, 1 from ${from} f`;

const dead = (from: RawBuilder<unknown>, isDead: RawBuilder<unknown>) => sql`
  select f.account_id, f.endpoint_id, null::uuid, now(), ${measureSql.deliveryDead}, null::smallint, 1 from ${from} f where ${isDead}`;

/** Counts the attempts of the CTE `moved`, which all succeeded. */
export const insertSuccessCounts = (rows: number) =>
  insertChanges(attempts(sql`moved`, measureSql.attemptDelivered), rows);

/** Counts the attempts of the CTE `moved`, which all failed, and the deliveries that are dead since then. */
export const insertFailureCounts = insertChanges(sql`
  ${attempts(sql`moved`, measureSql.attemptFailed)} union all ${dead(sql`moved`, sql`f.is_dead`)}`);

/**
 * Counts deliveries of the CTE `from` that became dead without an attempt: all, or where a condition holds, and then also other
 * changes, which are groups already.
 */
export const insertDeadCounts = (
  from: RawBuilder<unknown>,
  more?: { where: RawBuilder<unknown>; and: readonly CountChange[] },
) => {
  if (!more) return insertChanges(dead(from, sql`true`));
  const counted = dead(from, more.where);
  // most publications have no other changes: reading an empty list takes 3 % of a statement
  return insertChanges(
    more.and.length === 0 ? counted : sql`${counted} union all ${givenChanges(more.and)}`,
    1,
  );
};
