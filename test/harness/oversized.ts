// Oversized values for a location in a body, and arrays that count how often they are read.
import { type Container, sampleOf } from './operations.ts';

const far = 5_000;
const filled = (count: number, value: (index: number) => unknown) =>
  Array.from({ length: count }, (_, i) => value(i));
const membersOf = (count: number, value: unknown) =>
  Object.fromEntries(filled(count, (index) => [`member${index}`, value]) as [string, unknown][]);

const objects = [
  ...[1, {}, [[]]].flatMap((value) => [membersOf(far, value), membersOf(500, value)]),
  { ['k'.repeat(60_000)]: 1 },
];
const arrays = [
  (i: number) => ({ member: i }),
  () => 7,
  (i: number) => `text ${i}`,
  () => [[[]]],
  () => null,
].map((item) => filled(far, item));

/** Values that are too large for a container, or full of invalid items. */
export function oversized({ schema }: Container): unknown[] {
  if (schema.type === 'object') return objects;
  const item = schema.items && sampleOf(schema.items);
  return [...arrays, ...(item === undefined ? [] : [filled(far, () => item)])].flatMap((items) => [
    items,
    items.slice(0, schema.maxItems ?? far),
  ]);
}

/** An array that counts reads of its items. */
export function counted(length: number, item: unknown, reads: { count: number }): unknown[] {
  return new Proxy(
    filled(length, () => item),
    {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads.count += 1;
        return Reflect.get(target, key) as unknown;
      },
    },
  );
}
