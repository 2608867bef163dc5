// A validator's issue as a problem for callers: the field's path, and what is allowed. Pure.
import { charactersIn, counted } from '../base/counted.ts';
import type { Problem } from '../base/errors.ts';
import { formats } from './formats.ts';

/** An error of Ajv, or one in its form. */
interface SchemaIssue {
  keyword: string;
  instancePath: string;
  message?: string;
  params: Record<string, unknown>;
  /** The rejected value. */
  data?: unknown;
  /** The schema of the rejected value. */
  parentSchema?: { examples?: unknown[] };
}

/** Objects whose keys callers choose: a number among them is a name, not a position. */
const maps = new Set(['variables', 'metadata']);

/** `/recipients/3/phone` → `recipients[3].phone`, `/variables/1` → `variables.1` */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part, index, parts) => {
      const isPosition = /^\d+$/.test(part) && !maps.has(parts[index - 1] ?? '');
      if (isPosition) return `${path}[${part}]`;
      return path ? `${path}.${part}` : part;
    }, '');
}

const typeTexts: Record<string, string> = {
  string: 'must be a string',
  integer: 'must be a whole number',
  number: 'must be a number',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
  null: 'must be null',
};

const formatTexts: Record<string, string> = {
  'date-time': 'must be an RFC 3339 date-time, for example 2026-11-22T00:00:00Z',
  date: 'must be a date, for example 2026-11-22',
  uuid: 'must be a UUID, for example 01939f3c-7e1a-7c3e-8f52-0d6a1c2b3d4e',
  uri: 'must be an absolute URL, for example https://example.com/path',
};

/** A date-time whose offset lost its `+`: unescaped in an address, that is a space. */
const lostPlus = /\d \d\d:\d\d$/;

const count = (limit: unknown, one: string) => counted(Number(limit), one);

/** What the patterns of fields without an example allow. */
const patternTexts: Record<string, string> = {
  '\\S': 'must not be blank',
  '^\\S(.*\\S)?$': 'must be one line, and must not begin or end with a space',
  '^[a-z0-9_]*$': 'must have lower-case letters, digits and underscores only',
  '^https://': 'must begin with https://',
  '^[0-9]{1,32}$': 'must have 1 to 32 digits, and nothing else',
  '^[1-9][0-9]{6,14}$': 'must have 7 to 15 digits, with the country code, and nothing else',
  '^[\\x21-\\x7e]+$': 'must have ASCII characters only, without spaces',
};

type Text = (issue: SchemaIssue) => string | undefined;

const textByKeyword: Record<string, Text> = {
  minimum: ({ params }) => `must be ${params.limit} or more`,
  maximum: ({ params }) => `must be ${params.limit} or less`,
  exclusiveMinimum: ({ params }) => `must be more than ${params.limit}`,
  exclusiveMaximum: ({ params }) => `must be less than ${params.limit}`,
  multipleOf: ({ params }) => `must be a multiple of ${params.multipleOf}`,
  minLength: ({ params }) =>
    params.limit === 1 ? 'must not be empty' : `must have at least ${count(params.limit, 'character')}`,
  maxLength: ({ params, data }) =>
    `must have at most ${count(params.limit, 'character')}, but has ${charactersIn(String(data))}`,
  minItems: ({ params }) => `must have at least ${count(params.limit, 'item')}`,
  maxItems: ({ params, data }) =>
    `must have at most ${count(params.limit, 'item')}, but has ${(data as unknown[]).length}`,
  minProperties: ({ params }) => `must have at least ${count(params.limit, 'field')}`,
  maxProperties: ({ params, data }) =>
    `must have at most ${count(params.limit, 'field')}, but has ${Object.keys(data as object).length}`,
  uniqueItems: ({ params }) =>
    `must not have duplicates; items ${[Number(params.i), Number(params.j)].sort((a, b) => a - b).join(' and ')} are equal`,
  enum: ({ params }) =>
    Array.isArray(params.allowedValues) ? `must be one of ${params.allowedValues.join(', ')}` : undefined,
  const: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}`,
  // of several types, name the first
  type: ({ params }) => typeTexts[String(Array.isArray(params.type) ? params.type[0] : params.type)],
  format: ({ params, data }) => {
    const format = String(params.format);
    if (format === 'date-time' && lostPlus.test(String(data)))
      return `${formatTexts[format]}; in an address, write + as %2B`;
    return formats[format]?.(String(data)) ?? formatTexts[format];
  },
  pattern: ({ params, parentSchema }) => {
    const [example] = parentSchema?.examples ?? [];
    const text = patternTexts[String(params.pattern)];
    if (text !== undefined) return text;
    return example === undefined
      ? `must match the pattern ${params.pattern}`
      : `must be written like ${JSON.stringify(example)}`;
  },
  anyOf: () => 'must have one of the allowed forms; see the API reference',
};

/** Longer names are truncated in a problem's text. */
const shownNameMax = 40;

/** The problem of one issue. `part` (`body`, `querystring`, `params` or `headers`) is the path if the whole part is wrong. */
export function validationProblem(issue: unknown, part: string): Problem {
  const found = issue as SchemaIssue;
  const { keyword, instancePath, message, params } = found;
  const at = dotted(instancePath);
  const member = (name: unknown) => (at ? `${at}.${String(name)}` : String(name));
  const where = part === 'querystring' ? 'query parameter' : part === 'params' ? 'path parameter' : 'field';
  if (keyword === 'required')
    return { path: member(params.missingProperty), message: `this ${where} is required` };
  if (keyword === 'additionalProperties') {
    const path = member(params.additionalProperty);
    return { path, message: `there is no such ${where}; check its spelling` };
  }
  const text = textByKeyword[keyword]?.(found) ?? message ?? 'is invalid';
  if (typeof params.propertyName !== 'string') return { path: at || part, message: text };
  const name = JSON.stringify(params.propertyName.slice(0, shownNameMax));
  return { path: at || part, message: `the name ${name} ${text}` };
}
