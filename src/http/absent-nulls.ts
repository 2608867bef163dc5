// Null for an optional field of a request body: it counts as an absent field. Pure.
import type { BodySchema } from './body-problems.ts';

/** True if the schema itself gives null a meaning. */
function takesNull({ type, anyOf, enum: values, ...rest }: BodySchema): boolean {
  if (anyOf) return anyOf.some(takesNull);
  if (type === undefined) return values === undefined && !('const' in rest);
  return [type].flat().includes('null');
}

/**
 * Removes, in place, each null that stands for an optional field whose schema does not take null; returns whether there were any.
 * With `isPatch`, the nulls of the value itself stay: in a PATCH, null asks to clear a field. With `evenTaken`, nulls of optional
 * fields whose schema takes null are removed too.
 */
export function removeNulls(
  schema: BodySchema,
  value: unknown,
  { isPatch = false, evenTaken = false } = {},
): boolean {
  const { anyOf, properties, required = [], items, maxItems = Number.MAX_SAFE_INTEGER } = schema;
  if (typeof value !== 'object' || value === null) return false;
  const [one, other, ...more] = anyOf ?? [];
  if (one && other?.type === 'null' && more.length === 0) return removeNulls(one, value, { evenTaken });
  let hasRemoved = false;
  if (Array.isArray(value)) {
    // an array that is too long is invalid, whatever its items are
    if (!items || value.length > maxItems) return false;
    for (const item of value) if (removeNulls(items, item, { evenTaken })) hasRemoved = true;
    return hasRemoved;
  }
  const object = value as Record<string, unknown>;
  for (const [key, member] of Object.entries(properties ?? {})) {
    if (object[key] !== null) hasRemoved = removeNulls(member, object[key], { evenTaken }) || hasRemoved;
    else if (!isPatch && !required.includes(key) && (evenTaken || !takesNull(member))) {
      delete object[key];
      hasRemoved = true;
    }
  }
  return hasRemoved;
}
