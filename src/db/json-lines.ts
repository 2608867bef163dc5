// Many JSON texts as one parameter: an array's own form would escape every quotation mark on one side and undo it on the other.
import { type RawBuilder, sql } from 'kysely';

/** `text[]` of these JSON texts, which hold no line break (`JSON.stringify` writes none); null stays null. */
export function jsonLines(texts: readonly (string | null)[]): RawBuilder<string[]> {
  return sql`string_to_array(${texts.map((text) => text ?? '').join('\n')}, chr(10), '')`;
}
