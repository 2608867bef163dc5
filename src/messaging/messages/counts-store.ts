// Fragments by which the statements on messages count the stages that their messages enter.
import { type RawBuilder, sql } from 'kysely';
import { insertChanges, measureSql } from '../../statistics/count-store.ts';
import { ownErrors } from './message.ts';

/** The code of the error `opted_out`, as `error ->> 'code'` returns it. */
const optedOut = sql.lit(String(ownErrors.optedOut.code));

/** The category of a message as counted, from its priority; replies have none. */
const categoryOf = (from: RawBuilder<unknown>) =>
  sql`case when ${from}.template_id is not null then ${from}.priority end`;

/** The columns of `m` that a CTE must return to be counted. */
export const countedColumns = sql`m.account_id, m.sender_id, m.template_id, m.priority`;

/** Counts messages that entered the queue. `from` is a CTE or table expression with `countedColumns`. */
export const insertQueuedCounts = (from: RawBuilder<unknown>) =>
  insertChanges(sql`
    select q.account_id, q.sender_id, q.template_id, now(), ${measureSql.queued}, ${categoryOf(sql`q`)}, 1 from ${from} q`);

/** Counts the messages of up to `sends` new sends, the rows of the CTE `chosen`. */
export const insertSendCounts = (sends: number) =>
  insertChanges(
    sql`
  select c.account_id, c.sender_id, c.template_id, now(), ${measureSql.queued}, c.priority, c.last - c.first + 1 from chosen c`,
    sends,
  );

/**
 * Counts the messages of the CTE `accepted` whose acceptance this statement recorded first: a repeated record keeps the time of
 * the first one.
 */
export const insertAcceptedCounts = (rows: number) =>
  insertChanges(
    sql`
  select a.account_id, a.sender_id, a.template_id, a.accepted_at, ${measureSql.accepted}, ${categoryOf(sql`a`)}, 1
  from accepted a where a.accepted_at = now()`,
    rows,
  );

const failures = (measure: RawBuilder<number>, condition: RawBuilder<unknown>) => sql`
  select m.account_id, m.sender_id, m.template_id, m.failed_at, ${measure}, ${categoryOf(sql`m`)}, 1 from moved m where ${condition}`;

/** Counts the messages of the CTE `moved`, which all failed. */
export const insertFailedCounts = insertChanges(sql`
  ${failures(measureSql.failed, sql`true`)} union all
  ${failures(measureSql.optedOut, sql`m.error ->> 'code' = ${optedOut}`)}`);
