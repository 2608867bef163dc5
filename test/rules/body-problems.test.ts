// The problems of request bodies: the same as Ajv's for any body.
import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { type BodySchema, problemsBy } from '../../src/http/body-problems.ts';
import { fc } from '../harness/property.ts';

const Item = Type.Object(
  { a: Type.String({ maxLength: 3 }), b: Type.Optional(Type.Union([Type.Integer(), Type.Null()])) },
  { additionalProperties: false },
);
const schema = Type.Object(
  {
    list: Type.Array(Item, { minItems: 1, maxItems: 4 }),
    tags: Type.Optional(
      Type.Array(Type.Enum(['x', 'y', 'z'], { type: 'string' }), { maxItems: 3, uniqueItems: true }),
    ),
    map: Type.Optional(
      Type.Record(Type.String(), Type.Number(), { maxProperties: 3, propertyNames: { maxLength: 2 } }),
    ),
    maybe: Type.Optional(Type.Union([Type.Array(Item, { maxItems: 3 }), Type.Null()])),
    open: Type.Optional(Type.Object({ a: Type.Boolean() }, { additionalProperties: true })),
  },
  { additionalProperties: false, minProperties: 1 },
);

interface AnyProblem {
  instancePath: string;
  params: Record<string, unknown>;
}
const pathsOf = (problems: readonly AnyProblem[]) =>
  [
    ...new Set(
      problems.map(
        ({ instancePath, params }) =>
          `${instancePath}/${String(params.missingProperty ?? params.additionalProperty ?? '')}`,
      ),
    ),
  ].sort();

const leaf = fc.oneof(
  fc.constantFrom('x', 'y', 'long text', null, true, 1.5),
  fc.integer({ min: 0, max: 3 }),
  fc.constant([]),
  fc.constant({}),
);
const item = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ a: fc.oneof(fc.constant('x'), leaf), b: leaf, c: leaf }, { requiredKeys: [] }),
  },
  leaf,
);
const list = fc.oneof({ weight: 5, arbitrary: fc.array(item, { maxLength: 6 }) }, leaf);
const body = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      {
        list,
        tags: fc.oneof(fc.array(fc.constantFrom('x', 'y', 'z', 'w', 1), { maxLength: 5 }), leaf),
        map: fc.oneof(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'long/'), leaf), leaf),
        maybe: list,
        open: item,
        other: leaf,
      },
      { requiredKeys: [] },
    ),
  },
  leaf,
);

test('reports the same paths as Ajv, except inside containers of the wrong size', () => {
  const options = { strict: false, verbose: true, formats: { 'not-blank': true } } as const;
  const problemsOf = problemsBy(new Ajv(options), schema as BodySchema);
  const all = new Ajv({ ...options, allErrors: true }).compile(schema);
  let rejected = 0;
  fc.assert(
    fc.property(body, (value) => {
      const own = pathsOf(problemsOf(value));
      const isSound = all(value);
      expect(own.length === 0).toBe(isSound);
      if (isSound) return;
      rejected += 1;
      const sized = new Set(['minItems', 'maxItems', 'minProperties', 'maxProperties']);
      const wrongSize = (all.errors ?? []).filter(({ keyword }) => sized.has(keyword));
      const isInside = (path: string) =>
        wrongSize.some(
          ({ instancePath }) => path !== `${instancePath}/` && path.startsWith(`${instancePath}/`),
        );
      // duplicates are checked only among valid items, and a union reports its intended branch
      const summary = new Set(['uniqueItems', 'anyOf', 'type']);
      const others = (all.errors ?? []).filter(
        ({ keyword, instancePath }) =>
          !summary.has(keyword) ||
          !(all.errors ?? []).some((one) => one.instancePath.startsWith(`${instancePath}/`)),
      );
      expect(own).toEqual(pathsOf(others).filter((path) => !isInside(path)));
    }),
    { numRuns: 2_000 },
  );
  expect(rejected).toBeGreaterThan(500);
});
