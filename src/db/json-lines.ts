// Many JSON texts as one parameter: a text[] parameter would escape every quotation mark, and PostgreSQL would unescape it.
import { type RawBuilder, sql } from 'kysely';

/** Returns a `text[]` of JSON texts without line breaks (`JSON.stringify` writes none). Null stays null. */
export function jsonLines(texts: readonly (string | null)[]): RawBuilder<string[]> {
  return sql`string_to_array(${texts.map((text) => text ?? '').join('\n')}, chr(10), '')`;
}
