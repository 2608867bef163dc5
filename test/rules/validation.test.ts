// Request validation: bodies are not changed, queries are parsed from text, and text that the database cannot store is rejected.
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { requestValidator } from '../../src/http/validation.ts';

const schema = Type.Object(
  {
    count: Type.Optional(Type.Integer({ default: 7 })),
    flag: Type.Optional(Type.Boolean()),
    at: Type.Optional(Type.String({ format: 'date-time' })),
    text: Type.Optional(Type.String()),
    map: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);

const compile = requestValidator();
const validatorOf = (httpPart: 'body' | 'querystring' | 'params') =>
  // biome-ignore lint/suspicious/noExplicitAny: a validator outside its server
  compile({ schema, httpPart, method: 'POST', url: '/' } as any) as (
    data: unknown,
  ) => boolean | { error: unknown[] };
const isValidBody = (data: unknown) => validatorOf('body')(data) === true;
const isValidQuery = (data: unknown) => validatorOf('querystring')(data) === true;

test('a body is not changed: nothing is parsed, added or removed', () => {
  for (const wrong of [{ count: '5' }, { flag: 'true' }, { text: 5 }, { other: 1 }])
    expect([wrong, isValidBody(wrong)]).toEqual([wrong, false]);
  const body = { text: 'x' };
  expect(isValidBody(body)).toBe(true);
  expect(body).toEqual({ text: 'x' });
});

const Item = Type.Object(
  {
    id: Type.String(),
    note: Type.Optional(Type.String()),
    kept: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    any: Type.Optional(Type.Unknown()),
    mode: Type.Optional(Type.Enum(['a', 'b'])),
    fixed: Type.Optional(Type.Literal('x')),
    map: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { additionalProperties: false },
);
const nested = Type.Object({
  item: Type.Optional(Item),
  items: Type.Optional(Type.Union([Type.Array(Item), Type.Null()])),
  name: Type.Optional(Type.String()),
});
/** What a body becomes; undefined: it is rejected. */
function accepted(method: string, body: unknown): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: a validator outside its server
  const validate = compile({ schema: nested, httpPart: 'body', method, url: '/' } as any);
  return validate(body) === true ? body : undefined;
}

test('null for an optional field of a body is removed, unless the field takes null', () => {
  const nulls = { note: null, mode: null, fixed: null, map: null };
  const item = { id: '1', kept: null, any: null };
  const body = () => ({ item: { ...item, ...nulls }, items: [{ ...item, ...nulls }], name: null });
  for (const method of ['POST', 'PUT']) expect(accepted(method, body())).toEqual({ item, items: [item] });
  expect(accepted('POST', { item: null, items: null })).toEqual({ items: null });
});

test('null for a required field, in a map, in a list, or for a field that does not exist is rejected', () => {
  for (const wrong of [
    { item: { id: null } },
    { item: { id: '1', map: { a: null } } },
    { items: [null] },
    { item: { id: '1', other: null } },
    null,
  ])
    expect([wrong, accepted('POST', structuredClone(wrong))]).toEqual([wrong, undefined]);
});

test('null for a field that a PATCH cannot clear is rejected', () => {
  expect(accepted('PATCH', { name: null })).toBeUndefined();
  expect(accepted('PATCH', { items: null })).toEqual({ items: null });
  expect(accepted('PATCH', { item: { id: '1', note: null } })).toEqual({ item: { id: '1' } });
});

test('numbers and booleans of a query are parsed, and no defaults are added', () => {
  const query: Record<string, unknown> = { count: '5', flag: 'true' };
  expect(isValidQuery(query)).toBe(true);
  expect(query).toEqual({ count: 5, flag: true });
  const empty = {};
  expect(isValidQuery(empty)).toBe(true);
  expect(empty).toEqual({});
  const other = { other: 'x' };
  expect(isValidQuery(other)).toBe(false);
  expect(other).toEqual({ other: 'x' });
});

test.each(['0x10', '0b1', '1e1', ' 5', '5 ', '+5', '5.0', '05', '-0x1', '', 'Infinity', '٥'])(
  'the number %j of a query is rejected: only decimal digits are one',
  (count) => {
    expect(isValidQuery({ count })).toBe(false);
  },
);

test.each(['1', '0', 'TRUE', 'yes', ''])('the boolean %j of a query is rejected', (flag) => {
  expect(isValidQuery({ flag })).toBe(false);
});

test('all problems of a query are reported', () => {
  const result = validatorOf('querystring')({ count: 'x', at: 'y', other: 'z' });
  expect(result).toMatchObject({ error: expect.anything() });
  expect((result as { error: unknown[] }).error).toHaveLength(3);
});

test.each([
  ['2026-11-22T00:00:00Z', true],
  ['2026-11-22T00:00:00.123+05:30', true],
  // a leap second: allowed by RFC 3339, not by Date and timestamp columns
  ['2016-12-31T23:59:60Z', false],
  ['2026-02-30T00:00:00Z', false],
  ['2026-11-22', false],
  // in UTC in the years 10000 and -1, which RFC 3339 cannot write
  ['9999-12-31T23:59:59-14:00', false],
  ['0000-01-01T00:00:00+14:00', false],
  ['9999-12-31T23:59:59Z', true],
  ['0000-01-01T00:00:00Z', true],
  // longer than 64 characters
  [`2026-11-22T00:00:00.${'0'.repeat(60)}Z`, false],
])('the date-time %s is accepted: %s', (at, isAccepted) => {
  expect(isValidBody({ at })).toBe(isAccepted);
  expect(isValidQuery({ at })).toBe(isAccepted);
});

test.each([
  ['a NUL character', 'a\0b'],
  ['the first half of a surrogate pair', 'a\ud83d'],
  ['the second half of a surrogate pair', '\ude00b'],
])('%s is rejected in a body, in a name within it, and in a query', (_what, text) => {
  expect(isValidBody({ text })).toBe(false);
  expect(isValidBody({ map: { [text]: 1 } })).toBe(false);
  expect(isValidBody({ map: { deep: [{ text }] } })).toBe(false);
  expect(isValidQuery({ text })).toBe(false);
  expect(isValidBody({ text: 'a😀b' })).toBe(true);
});

test('a body nested deeper than 64 levels is rejected', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  // the body and its map are two levels
  expect(isValidBody({ map: { a: nested(62) } })).toBe(true);
  expect(isValidBody({ map: { a: nested(63) } })).toBe(false);
});
