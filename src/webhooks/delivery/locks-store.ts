// Table deliveries: locks of rows that several statements of a transaction change.
import { type RawBuilder, sql } from 'kysely';

/**
 * A statement that locks deliveries in the order of `lockKey`; `keys` is a query of their `subject_id`, `endpoint_id`, `stage` and `id`. Not a part of
 * another one: see "Rules of the hot tables" on locks and partitions.
 */
export const lockDeliveries = (keys: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  with stages as materialized (${keys})
  select from (select * from stages order by subject_id, endpoint_id, id) k
  join deliveries d on d.subject_id = k.subject_id and d.endpoint_id = k.endpoint_id and d.stage = k.stage and d.id = k.id
  order by d.subject_id, d.endpoint_id, d.id for update of d`;
