// Oversized values for a location in a body, and arrays that count how often they are read.
import { type Container, sampleOf } from './operations.ts';

const far = 5_000;
const filled = (count: number, value: (index: number) => unknown) =>
  Array.from({ length: count }, (_, i) => value(i));
const membersOf = (count: number, value: unknown) =>
  Object.fromEntries(filled(count, (index) => [`member${index}`, value]) as [string, unknown][]);
const longKey = 'k'.repeat(60_000);

/** Values that are too large for a container, or full of invalid items. */
export function oversized({ schema }: Container): unknown[] {
  if (schema.type === 'object')
    return [
      ...[1, {}, [[]]].flatMap((value) => [membersOf(far, value), membersOf(500, value)]),
      { [longKey]: 1 },
    ];
  const items = [
    (i: number) => ({ member: i }),
    () => 7,
    (i: number) => `text ${i}`,
    () => [[[]]],
    () => null,
  ];
  const sample = schema.items ? [() => sampleOf(schema.items ?? {})] : [];
  return [...items, ...sample].flatMap((item) => [
    filled(far, item),
    filled(Math.min(schema.maxItems ?? far, far), item),
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
