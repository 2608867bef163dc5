// The texts of validation problems: the field, and what is allowed.
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { filled } from '../../src/contract/envelope.ts';
import { requestValidator } from '../../src/http/validation.ts';
import { validationProblem } from '../../src/http/validation-problem.ts';

const body = Type.Object(
  {
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 3 })),
    long: Type.Optional(Type.String({ minLength: 8 })),
    blank: Type.Optional(Type.String({ pattern: '\\S' })),
    filled: Type.Optional(filled(9, 'A name.')),
    like: Type.Optional(Type.String({ pattern: '^[0-9]{2}:[0-9]{2}$', examples: ['09:00'] })),
    label: Type.Optional(Type.String({ pattern: '^\\S(.*\\S)?$' })),
    https: Type.Optional(Type.String({ pattern: '^https://' })),
    code: Type.Optional(Type.String({ pattern: '^[a-z]{3}$' })),
    at: Type.Optional(Type.String({ format: 'date-time' })),
    day: Type.Optional(Type.String({ format: 'date' })),
    id: Type.Optional(Type.String({ format: 'uuid' })),
    url: Type.Optional(Type.String({ format: 'uri' })),
    phone: Type.Optional(Type.String({ format: 'phone' })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    share: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })),
    step: Type.Optional(Type.Integer({ multipleOf: 5 })),
    flag: Type.Optional(Type.Boolean()),
    kind: Type.Optional(Type.Enum(['a', 'b'], { type: 'string' })),
    maybe: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    list: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2, uniqueItems: true })),
    map: Type.Optional(
      Type.Record(Type.String(), Type.String(), { maxProperties: 1, propertyNames: { maxLength: 4 } }),
    ),
  },
  { additionalProperties: false },
);

// biome-ignore lint/suspicious/noExplicitAny: a validator outside its server
const validate = requestValidator()({ schema: body, httpPart: 'body', method: 'POST', url: '/' } as any);

/** The problems of a body, each as path and text. */
function problemsOf(value: unknown): string[] {
  const result = validate(value) as true | { error: unknown[] };
  if (result === true) return [];
  return result.error.map((issue) => {
    const { path, message } = validationProblem(issue, 'body');
    return `${path} ${message}`;
  });
}

test.each([
  [{ text: '' }, 'text must not be empty'],
  [{ text: 'four' }, 'text must have at most 3 characters, but has 4'],
  [{ long: 'short' }, 'long must have at least 8 characters'],
  [{ blank: '  ' }, 'blank must not be blank'],
  [{ filled: '  ' }, 'filled must not be blank'],
  [{ filled: '\u200b' }, 'filled must not be blank'],
  [{ like: '9 o’clock' }, 'like must be written like "09:00"'],
  [{ label: ' a' }, 'label must be one line, and must not begin or end with a space'],
  [{ https: 'http://a' }, 'https must begin with https://'],
  [{ code: 'ABC' }, 'code must match the pattern ^[a-z]{3}$'],
  [{ at: 'tomorrow' }, 'at must be an RFC 3339 date-time, for example 2026-11-22T00:00:00Z'],
  [
    { at: '2026-11-22T00:00:00 05:30' },
    'at must be an RFC 3339 date-time, for example 2026-11-22T00:00:00Z; in an address, write + as %2B',
  ],
  [{ day: '22.11.2026' }, 'day must be a date, for example 2026-11-22'],
  [{ id: '7' }, 'id must be a UUID, for example 01939f3c-7e1a-7c3e-8f52-0d6a1c2b3d4e'],
  [{ url: 'example' }, 'url must be an absolute URL, for example https://example.com/path'],
  [{ phone: '0123' }, 'phone must start with the country code, not with 0'],
  [{ count: 0 }, 'count must be 1 or more'],
  [{ count: 101 }, 'count must be 100 or less'],
  [{ count: '5' }, 'count must be a whole number'],
  [{ share: 0 }, 'share must be more than 0'],
  [{ share: 1 }, 'share must be less than 1'],
  [{ step: 7 }, 'step must be a multiple of 5'],
  [{ flag: 'yes' }, 'flag must be true or false'],
  [{ kind: 'c' }, 'kind must be one of a, b'],
  [{ maybe: 'x' }, 'maybe must be a whole number'],
  [{ list: [] }, 'list must have at least 1 item'],
  [{ list: ['a', 'b', 'c'] }, 'list must have at most 2 items, but has 3'],
  [{ list: ['a', 'a'] }, 'list must not have duplicates; items 0 and 1 are equal'],
  [{ list: {} }, 'list must be an array'],
  [{ list: [1] }, 'list[0] must be a string'],
  [{ map: { a: 'x', b: 'y' } }, 'map must have at most 1 field, but has 2'],
  [{ map: { longer: 'x' } }, 'map the name "longer" must have at most 4 characters, but has 6'],
  [{ map: { a: 1 } }, 'map.a must be a string'],
  [{ texts: 'x' }, 'texts there is no such field; check its spelling'],
  [[], 'body must be an object'],
  [{ text: 'a\0' }, 'text contains invalid Unicode: a NUL character or half a surrogate pair'],
])('%j: %s', (value, problem) => {
  expect(problemsOf(value)).toEqual([problem]);
});

test("no problem has the validator's own text", () => {
  const own = /must NOT|must match format|must be [<>]|must be (?:string|object|array|integer|boolean)$/;
  const all = { text: 1, at: 'x', count: 1.5, list: 'x', map: [], kind: 1, step: null, phone: 4, extra: 1 };
  const problems = problemsOf(all);
  expect(problems).toHaveLength(Object.keys(all).length);
  expect(problems.filter((problem) => own.test(problem))).toEqual([]);
});

test.each([
  ['/recipients/3/phone', 'recipients[3].phone'],
  ['/recipients/3/variables/2', 'recipients[3].variables.2'],
  ['/variables/cards.0.body.1', 'variables.cards.0.body.1'],
  ['/metadata/2026', 'metadata.2026'],
  ['/list/0/1', 'list[0][1]'],
])(
  'the path of %s is %s: numbers are positions in lists, and names in variables and metadata',
  (instancePath, path) => {
    const issue = { keyword: 'type', instancePath, params: { type: 'string' } };
    expect(validationProblem(issue, 'body')).toEqual({ path, message: 'must be a string' });
  },
);
