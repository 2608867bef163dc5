// How requests are checked against the contract: bodies as they are, queries with their numbers read from text.
import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import { type BodySchema, problemsBy } from './body-problems.ts';
import { formats } from './formats.ts';
import { type Unstorable, unstorableParts } from './storable.ts';

const options: Options = {
  removeAdditional: false,
  // a default is told to callers and kept by the code: written into a body, it would change what a PATCH leaves out
  useDefaults: false,
  strict: false,
  // a fault carries its schema, whose example says more than a pattern does
  verbose: true,
};

function compiler(more: Options): Ajv {
  const ajv = new Ajv({ ...options, ...more });
  addFormats.default(ajv);
  const rfc3339 = ajv.formats['date-time'] as { validate: (text: string) => boolean };
  // RFC 3339 knows leap seconds; neither Date nor a timestamp column does. The format splits the text at every "t" first,
  // so a long one is rejected by its length.
  ajv.addFormat(
    'date-time',
    (text) => text.length <= 64 && rfc3339.validate(text) && !Number.isNaN(Date.parse(text)),
  );
  for (const [name, problem] of Object.entries(formats))
    ajv.addFormat(name, (text) => problem(text) === undefined);
  return ajv;
}

/**
 * The validator of routes. A body's number must be a number; a query's is text and is read as one. Text that the
 * database could not keep is refused here for all of them; a path's malformed id is left to its route, which says 404.
 * Ajv decides about a body and stops at the first error; the problems are collected afterwards, up to a limit. A query
 * is bounded by the size of the headers, so all of its problems are collected.
 */
export function requestValidator(): FastifySchemaCompiler<object> {
  const bodies = compiler({ allErrors: false });
  const queries = compiler({ allErrors: true, coerceTypes: true });
  return ({ schema, httpPart }) => {
    if (httpPart === 'body') {
      const validate = bodies.compile(schema);
      const problemsOf = problemsBy(bodies, schema as BodySchema);
      return (data: unknown) => {
        if (validate(data)) return storable(data);
        const first = validate.errors;
        const problems = problemsOf(data);
        // what Ajv rejects stays rejected, even if the walk finds nothing
        return { error: (problems.length > 0 ? problems : first) as never };
      };
    }
    const validate = queries.compile(schema);
    if (httpPart !== 'querystring') return validate;
    return (data: unknown) => (validate(data) ? storable(data) : { error: validate.errors as never });
  };
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
