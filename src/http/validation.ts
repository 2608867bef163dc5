// Request validation against the contract: bodies without type coercion, queries with numbers parsed from text.
import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import { removeNulls } from './absent-nulls.ts';
import { type BodySchema, problemsBy } from './body-problems.ts';
import { formats } from './formats.ts';
import { once } from './once.ts';
import { type Unstorable, unstorableParts } from './storable.ts';

const options: Options = {
  removeAdditional: false,
  // handlers apply defaults: in a PATCH body, defaults would change omitted fields
  useDefaults: false,
  strict: false,
  // problem texts use the schema's example
  verbose: true,
};

function compiler(more: Options): Ajv {
  const ajv = new Ajv({ ...options, ...more });
  addFormats.default(ajv);
  const rfc3339 = ajv.formats['date-time'] as { validate: (text: string) => boolean };
  // The length limit protects the format's split at "t".
  ajv.addFormat('date-time', (text) => text.length <= 64 && rfc3339.validate(text) && hasUtcForm(text));
  for (const [name, problem] of Object.entries(formats))
    ajv.addFormat(name, (text) => problem(text) === undefined);
  return ajv;
}

/**
 * True if the instant has an RFC 3339 form in UTC, as responses need it. Date and timestamp columns have no leap seconds; an
 * offset can move an instant out of the years 0 to 9999.
 */
function hasUtcForm(text: string): boolean {
  const instant = new Date(text);
  return !Number.isNaN(instant.getTime()) && /^\d{4}-/.test(instant.toISOString());
}

/**
 * Returns the validator of routes. Numbers in a query are parsed from text; in a body they must be numbers. A query's `to` must
 * be later than its `from`. Null for an optional field of a body counts as absent, and is removed. Text that the database cannot store
 * is rejected. Malformed ids in a path get 404 from the routes. For bodies, Ajv stops at the first error and `problemsBy` collects
 * problems up to a limit. Queries are limited by the header size, so Ajv collects all problems. A schema is compiled at the first request that needs it.
 */
export function requestValidator(): FastifySchemaCompiler<object> {
  const bodies = compiler({ allErrors: false });
  const queries = compiler({ allErrors: true });
  return ({ schema, httpPart, method }) => {
    if (httpPart === 'body') {
      const validator = once(() => bodies.compile(schema));
      const problemsOf = once(() => problemsBy(bodies, schema as BodySchema));
      const isPatch = method === 'PATCH';
      return (data: unknown) => {
        const validate = validator();
        if (validate(data)) return storable(data);
        let first = validate.errors;
        let problems = problemsOf()(data);
        if (problems.some(isNull) && removeNulls(schema as BodySchema, data, { isPatch })) {
          if (validate(data)) return storable(data);
          first = validate.errors;
          problems = problemsOf()(data);
        }
        // Ajv decides: keep its error if problemsBy finds none
        return { error: (problems.length > 0 ? problems : first) as never };
      };
    }
    const validator = once(() => queries.compile(schema));
    const parse = valueParser(schema as BodySchema);
    return (data: unknown) => {
      const validate = validator();
      parse(data);
      if (!validate(data)) return { error: validate.errors as never };
      if (httpPart !== 'querystring') return true;
      return isEmptyRange(data) ? { error: [emptyRange] as never } : storable(data);
    };
  };
}

/** Decimal digits only: JavaScript would also read `0x10`, `1e1` and ` 5` as numbers. */
const wholeNumber = /^-?(0|[1-9][0-9]*)$/;

/** Parses, in place, the numbers and booleans of a query. What is neither stays text, which the schema rejects. */
function valueParser({ properties = {} }: BodySchema): (data: unknown) => void {
  const typed = Object.entries(properties).filter(([, { type }]) => type === 'integer' || type === 'boolean');
  return (data) => {
    const query = data as Record<string, unknown>;
    for (const [name, { type }] of typed) {
      const text = query[name];
      if (typeof text !== 'string') continue;
      if (type === 'integer' && wholeNumber.test(text)) query[name] = Number(text);
      if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
    }
  };
}

const isNull = ({ data }: { data?: unknown }): boolean => data === null;

const emptyRange = { keyword: 'range', instancePath: '/to', params: {}, message: 'must be later than from' };

/** True if a query asks for instants from one until an earlier one, or the same. */
function isEmptyRange(data: unknown): boolean {
  const { from, to } = data as { from?: string; to?: string };
  return Date.parse(to ?? '') <= Date.parse(from ?? '');
}

function storable(data: unknown) {
  const unstorable = unstorableParts(data);
  return unstorable.length === 0 || { error: unstorable.map(storableIssue) as never };
}

const storableIssue = ({ pointer, message }: Unstorable) => ({
  keyword: 'storable',
  instancePath: pointer,
  params: {},
  message,
});
