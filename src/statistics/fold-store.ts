// Folding: adds recorded changes up to counts, and deletes them in the same statement.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../db/db.ts';
import { measureSql, roundedDown } from './count-store.ts';
import { lastMeasure } from './measures.ts';

/**
 * Locks folding until `tx` ends. Returns the start of the oldest transaction that may still record changes, or now; undefined if
 * another process is folding, or did so less than `pauseMs` ago. Read before the changes: what began later is counted later.
 */
export async function lockFolding(tx: Tx, pauseMs: number): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date }>`
    select least(now(), (select min(a.xact_start) from pg_stat_activity a
      where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
        and (a.backend_xid is not null or a.xact_start > now() - interval '1 minute'))) as until
    from (select from statistics_folds
      where folded_until not between now() - ${pauseMs} * interval '1 millisecond' and now() for update skip locked) f`.execute(
    tx,
  );
  return rows[0]?.until;
}

const lastOf = { messages: sql.lit(lastMeasure.messages), deliveries: sql.lit(lastMeasure.deliveries) };

const total = (of: RawBuilder<unknown>) => sql`coalesce(sum(g.amount) filter (where g.measure = ${of}), 0)`;
const added = (table: string, columns: readonly string[]) =>
  sql.join(
    columns.map(
      (column) =>
        sql`${sql.ref(column)} = ${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
    ),
  );

/** The width in minutes of the rows of counts; each change is added to one row of each. */
const widths = sql`(values (15::smallint, interval '15 minutes'), (60::smallint, interval '1 hour')) w(minutes, width)`;
const start = roundedDown(sql`w.width`, sql`g.at`);

/**
 * Adds up to `limit` changes to the counts and deletes them. One statement, so that a crash neither loses nor repeats any.
 * Records `until`, as `lockFolding` returned it, if none are left. Returns how many changes there were.
 */
export async function foldChanges(tx: Tx, limit: number, until: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with gone as (
      delete from statistics_changes where ctid = any(array(select ctid from statistics_changes limit ${limit}))
      returning *),
    g as materialized (
      select account_id, subject_id, template_id, at, measure, class, sum(amount)::int as amount from gone
      group by 1, 2, 3, 4, 5, 6),
    messages as (
      insert into message_counts (account_id, minutes, at, sender_id, template_id, category, queued, accepted, sent, delivered, read,
        failed, opted_out)
      select g.account_id, w.minutes, ${start}, g.subject_id, g.template_id, g.class, ${total(measureSql.queued)},
        ${total(measureSql.accepted)}, ${total(measureSql.sent)}, ${total(measureSql.delivered)}, ${total(measureSql.read)},
        ${total(measureSql.failed)}, ${total(measureSql.optedOut)}
      from g, ${widths} where g.measure <= ${lastOf.messages} group by 1, 2, 3, 4, 5, 6
      on conflict (account_id, minutes, at, sender_id, template_id, category) do update set
        ${added('message_counts', ['queued', 'accepted', 'sent', 'delivered', 'read', 'failed', 'opted_out'])}),
    deliveries as (
      insert into delivery_counts (account_id, minutes, at, endpoint_id, delivered, failed, dead)
      select g.account_id, w.minutes, ${start}, g.subject_id, ${total(measureSql.attemptDelivered)},
        ${total(measureSql.attemptFailed)}, ${total(measureSql.deliveryDead)}
      from g, ${widths} where g.measure > ${lastOf.messages} and g.measure <= ${lastOf.deliveries} group by 1, 2, 3, 4
      on conflict (account_id, minutes, at, endpoint_id) do update set
        ${added('delivery_counts', ['delivered', 'failed', 'dead'])}),
    durations as (
      insert into attempt_durations (account_id, minutes, at, endpoint_id, class, attempts)
      select g.account_id, w.minutes, ${start}, g.subject_id, g.class, sum(g.amount)
      from g, ${widths} where g.measure in (${measureSql.attemptDelivered}, ${measureSql.attemptFailed}) group by 1, 2, 3, 4, 5
      on conflict (account_id, minutes, at, endpoint_id, class) do update set
        ${added('attempt_durations', ['attempts'])}),
    bookings as (
      insert into booking_counts (account_id, minutes, at, staff_id, booked, rescheduled, cancelled)
      select g.account_id, w.minutes, ${start}, g.subject_id, ${total(measureSql.booked)}, ${total(measureSql.rescheduled)},
        ${total(measureSql.cancelled)}
      from g, ${widths} where g.measure > ${lastOf.deliveries} group by 1, 2, 3, 4
      on conflict (account_id, minutes, at, staff_id) do update set
        ${added('booking_counts', ['booked', 'rescheduled', 'cancelled'])}),
    recorded as (
      update statistics_folds set folded_until = ${until}::timestamptz where (select count(*) from gone) < ${limit})
    select count(*)::int as n from gone`.execute(tx);
  return rows[0]?.n ?? 0;
}

const tables = ['message_counts', 'delivery_counts', 'attempt_durations', 'booking_counts'] as const;

/** Deletes up to `limit` rows of each table and account that are older than `days`; returns how many. */
export async function deleteOldCounts(db: Db, days: number, limit: number): Promise<number> {
  let deleted = 0;
  for (const table of tables) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select x.ctid from accounts a cross join (values (15), (60)) w(minutes) cross join lateral (
          select c.ctid from ${sql.table(table)} c
          where c.account_id = a.id and c.minutes = w.minutes and c.at < now() - ${days} * interval '1 day' limit ${limit}) x
        limit ${limit}))`.execute(db);
    deleted += Number(numAffectedRows ?? 0);
  }
  return deleted;
}
