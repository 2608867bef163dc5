// Canonical JSON: the same text for every spelling of a value. Pure.

const indexPattern = /^(?:0|[1-9][0-9]{0,9})$/;
/** Whether JavaScript orders this key numerically, before all others (ECMA-262, "array index"). */
const isIndex = (key: string) => indexPattern.test(key) && Number(key) < 2 ** 32 - 1;

function orderedKeys(object: object): string[] {
  const keys = Object.keys(object).sort();
  const indexes = keys.filter(isIndex);
  if (indexes.length === 0) return keys;
  return [...indexes.sort((a, b) => Number(a) - Number(b)), ...keys.filter((key) => !isIndex(key))];
}

/**
 * Returns the JSON of a value with the keys of every object sorted: array indexes by number, then the others by code unit.
 * Stored request fingerprints depend on it, so it must never change. It does not copy objects: copying objects with hundreds
 * of members took most of the time.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // like JSON.stringify, write undefined in an array as null
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const object = value as Record<string, unknown>;
  const members: string[] = [];
  for (const key of orderedKeys(object)) {
    const member = object[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
