// Named constants as literal SQL text, so that statements name states and the planner still sees their values.
import { type RawBuilder, sql } from 'kysely';

/** The same names with each value as a literal in the statement's text, never as a parameter. */
export function sqlConstants<Values extends Record<string, string | number>>(
  values: Values,
): { readonly [Name in keyof Values]: RawBuilder<Values[Name]> } {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, sql.lit(value)]),
  ) as unknown as { [Name in keyof Values]: RawBuilder<Values[Name]> };
}
