// Numbers in messages for people: of characters, and with their noun. Pure.

/** The characters of a text, as people and JSON Schema count them: an emoji of two code units is one. */
export function charactersIn(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/** A number with its noun: `1 row`, `2 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
