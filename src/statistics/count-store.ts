// Counting: fragments by which a statement records what it changes, in the same statement. The worker adds the changes up.
import { type RawBuilder, sql } from 'kysely';
import { arrayText } from '../db/array-text.ts';
import { sqlConstants } from '../db/sql-constants.ts';
import { classRatio, measure, zeroClass } from './measures.ts';

/** The measures as literals. */
export const measureSql = sqlConstants(measure);

/** An instant rounded down to the start of its quarter hour or hour of UTC, as `width` is. */
export const roundedDown = (width: RawBuilder<unknown>, at: RawBuilder<unknown>) =>
  sql<Date>`date_bin(${width}, ${at}, timestamptz '2000-01-01 00:00:00Z')`;
const quarter = roundedDown(sql`interval '15 minutes'`, sql`at`);

/** The class of a duration in ms. */
export const durationClass = (ms: RawBuilder<unknown>) =>
  sql<number>`case when ${ms} < 1 then ${sql.lit(zeroClass)} else floor(ln(${ms}::float8) / ln(${sql.lit(classRatio)}::float8)) end::smallint`;

/** Grouping takes about as long as inserting this many rows. */
const ungroupedMax = 10;

/** A change of a count that the program knows; the members are the columns of `insertChanges`. */
export interface CountChange {
  accountId: string;
  /** The sender, endpoint or staff member. */
  subjectId: string;
  templateId: string | null;
  /** Epoch seconds. */
  at: number;
  measure: number;
  class: number | null;
  amount: number;
}

/** Given changes, for `insertChanges`. */
export const givenChanges = (changes: readonly CountChange[]) => sql`
  select account_id, subject_id, template_id, to_timestamp(seconds), measure, class, amount
  from unnest(${arrayText(changes.map((one) => one.accountId))}::uuid[], ${arrayText(changes.map((one) => one.subjectId))}::uuid[],
    ${arrayText(changes.map((one) => one.templateId))}::uuid[], ${arrayText(changes.map((one) => one.at))}::float8[],
    ${arrayText(changes.map((one) => one.measure))}::smallint[], ${arrayText(changes.map((one) => one.class))}::smallint[],
    ${arrayText(changes.map((one) => one.amount))}::int[])
    g(account_id, subject_id, template_id, seconds, measure, class, amount)`;

/**
 * An insert of changes, one row a group (of up to ten `rows`, one row each: grouping costs more), for a CTE of the statement that makes them true; a failed statement counts nothing.
 * `changes` selects, in this order: account, subject (sender, endpoint or staff member), template or null, the time, the
 * measure, the class (category of messages, duration of attempts) or null, and the amount, negative to take back an earlier count.
 */
export const insertChanges = (changes: RawBuilder<unknown>, rows = Number.POSITIVE_INFINITY) => {
  const isGrouped = rows > ungroupedMax;
  return sql`
  insert into statistics_changes (account_id, subject_id, template_id, at, measure, class, amount)
  select account_id, subject_id, template_id, ${quarter}, measure, class, ${isGrouped ? sql`sum(amount)` : sql`amount`}
  from (${changes}) c(account_id, subject_id, template_id, at, measure, class, amount)
  ${isGrouped ? sql`group by 1, 2, 3, 4, 5, 6` : sql``}`;
};
