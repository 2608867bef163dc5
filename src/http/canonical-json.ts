// Canonical JSON: two spellings of one value have one text. Pure.

const indexPattern = /^(?:0|[1-9][0-9]{0,9})$/;
/** Whether JavaScript orders this member by its number, before all others (ECMA-262, "array index"). */
const isIndex = (key: string) => indexPattern.test(key) && Number(key) < 2 ** 32 - 1;

function inOrder(object: object): string[] {
  const keys = Object.keys(object).sort();
  const indexes = keys.filter(isIndex);
  if (indexes.length === 0) return keys;
  return [...indexes.sort((a, b) => Number(a) - Number(b)), ...keys.filter((key) => !isIndex(key))];
}

/**
 * The JSON of a value with the members of every object in order: array indexes by number, then the others by code unit.
 * It is kept as a fingerprint of requests, so it must never change. It writes text and copies no objects: copies of
 * objects with hundreds of members took most of the time.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // in an array, undefined is null, as JSON.stringify has it
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const object = value as Record<string, unknown>;
  const members: string[] = [];
  for (const key of inOrder(object)) {
    const member = object[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
