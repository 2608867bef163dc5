// Named constants as SQL literals: the planner sees their values, which partial indexes need.
import { type RawBuilder, sql } from 'kysely';

/** Each constant as a literal of the statement's text, not as a parameter. */
export function literals<T extends Record<string, string | number>>(
  constants: T,
): { [K in keyof T]: RawBuilder<T[K]> } {
  const entries = Object.entries(constants).map(([name, value]) => [name, sql.lit(value)]);
  return Object.fromEntries(entries) as { [K in keyof T]: RawBuilder<T[K]> };
}
