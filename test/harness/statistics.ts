// Statistics compared with the rows that they count, in one snapshot, whatever is still running.
import { sql } from 'kysely';
import type { Db } from '../../src/db/db.ts';
import { measure } from '../../src/statistics/measures.ts';
import { deliveryState } from '../../src/webhooks/delivery/delivery.ts';

const lit = (name: keyof typeof measure) => sql.lit(measure[name]);

/** The rows of counts and the changes that are not folded yet, as (minutes, at, subject, template, class, measure, n). */
const counted = sql`
  select minutes, at, sender_id as subject, template_id as template, category as class, x.measure, x.n
  from message_counts cross join lateral (values (${lit('queued')}, queued), (${lit('accepted')}, accepted), (${lit('sent')}, sent),
    (${lit('delivered')}, delivered), (${lit('read')}, read), (${lit('failed')}, failed), (${lit('optedOut')}, opted_out)) x(measure, n)
  union all
  select minutes, null, endpoint_id, null, null, x.measure, x.n
  from delivery_counts cross join lateral (values (${lit('attemptDelivered')}, delivered), (${lit('attemptFailed')}, failed),
    (${lit('deliveryDead')}, dead)) x(measure, n)
  union all
  select w.minutes, case when measure < 10 then date_bin(w.minutes * interval '1 minute', at, timestamptz 'epoch') end, subject_id,
    template_id, case when measure < 10 then class end, measure, amount from statistics_changes, (values (15), (60)) w(minutes)
  where measure < 20`;

/** The same from messages and deliveries. No column has the time at which a message entered the queue. */
const rows = sql`
  select w.minutes, date_bin(w.minutes * interval '1 minute', r.at, timestamptz 'epoch'), r.subject, r.template, r.class, r.measure, r.n
  from (
    select x.at, sender_id as subject, template_id as template, case when template_id is not null then priority end as class, x.measure, 1 as n
    from messages cross join lateral (values (${lit('queued')}, null), (${lit('accepted')}, accepted_at), (${lit('sent')}, sent_at),
      (${lit('delivered')}, delivered_at), (${lit('read')}, read_at), (${lit('failed')}, failed_at),
      (${lit('optedOut')}, case when error ->> 'code' = '900005' then failed_at end)) x(measure, at)
    where x.at is not null or x.measure = ${lit('queued')}
    union all
    select null, s.sender_id, s.template_id, coalesce(s.priority, 2), ${lit('queued')}, 1
    from send_recipients r join sends s on s.account_id = r.account_id and s.id = r.send_id where r.was_queued
    union all
    select null, endpoint_id, null, null, x.measure, x.n from deliveries d cross join lateral (values
      (${lit('attemptDelivered')}, (d.state = ${sql.lit(deliveryState.delivered)})::int),
      (${lit('attemptFailed')}, d.attempts - (d.state = ${sql.lit(deliveryState.delivered)})::int),
      (${lit('deliveryDead')}, (d.state = ${sql.lit(deliveryState.dead)})::int)) x(measure, n)) r, (values (15), (60)) w(minutes)`;

/**
 * Every count that differs from its rows, of messages by interval and group, and of attempts by endpoint; none is right. Not for
 * deliveries that were replayed, nor for rows that a test changed.
 */
export async function wrongCounts(db: Db): Promise<unknown[]> {
  const found = await sql`
    with differences as (
      select minutes, case when measure > ${lit('queued')} then at end as at, subject, template, class, measure, sum(n) as n from (
        select minutes, at, subject, template, class, measure, n from (${counted}) c
        union all
        select minutes, at, subject, template, class, measure, -n from (${rows}) r(minutes, at, subject, template, class, measure, n)) x
      group by 1, 2, 3, 4, 5, 6)
    select minutes, at, subject, template, class, measure, n::int as "countedTooOften" from differences where n <> 0`.execute(
    db,
  );
  return found.rows;
}
