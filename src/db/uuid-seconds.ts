// The time of a UUIDv7, in SQL.
import { type RawBuilder, sql } from 'kysely';

/** The time that the UUIDv7 `id` contains, in seconds since 1970. */
export const uuidSeconds = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint / 1000.0`;
