// The fragment by which the statements on bookings count what they change.
import { type RawBuilder, sql } from 'kysely';
import { insertChanges, measureSql } from '../../statistics/count-store.ts';

/** The statement `change`, an update of bookings that returns their rows, which also counts each of them. */
export const counting = (measure: 'booked' | 'rescheduled' | 'cancelled', change: RawBuilder<unknown>) => sql`
  with changed as (${change}),
  counted as (${insertChanges(sql`
    select account_id, staff_id, null::uuid, now(), ${measureSql[measure]}, null::smallint, 1 from changed`)})
  select * from changed`;
