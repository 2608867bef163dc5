// How requests are checked against the contract: bodies as they are, queries with their numbers read from text.
import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import { formats } from './formats.ts';
import { type Unstorable, unstorableParts } from './storable.ts';

const options: Options = {
  // every fault is named, not just the first
  allErrors: true,
  removeAdditional: false,
  // a default is told to callers and kept by the code: written into a body, it would change what a PATCH leaves out
  useDefaults: false,
  strict: false,
  // a fault carries its schema, whose example says more than a pattern does
  verbose: true,
};

function compiler(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ ...options, coerceTypes });
  addFormats.default(ajv);
  const rfc3339 = ajv.formats['date-time'] as { validate: (text: string) => boolean };
  // RFC 3339 knows leap seconds; neither Date nor a timestamp column does
  ajv.addFormat('date-time', (text) => rfc3339.validate(text) && !Number.isNaN(Date.parse(text)));
  for (const [name, fault] of Object.entries(formats))
    ajv.addFormat(name, (text) => fault(text) === undefined);
  return ajv;
}

/**
 * The validator of routes. A body's number must be a number; a query's is text and is read as one. Text that the
 * database could not keep is refused here for all of them; a path's malformed id is left to its route, which says 404.
 */
export function requestValidator(): FastifySchemaCompiler<object> {
  const bodies = compiler(false);
  const queries = compiler(true);
  return ({ schema, httpPart }) => {
    const validate = (httpPart === 'body' ? bodies : queries).compile(schema);
    if (httpPart !== 'body' && httpPart !== 'querystring') return validate;
    return (data: unknown) => {
      if (!validate(data)) return { error: validate.errors as never };
      const unstorable = unstorableParts(data);
      if (unstorable.length === 0) return true;
      return { error: unstorable.map(storableIssue) as never };
    };
  };
}

const storableIssue = ({ pointer, message }: Unstorable) => ({
  keyword: 'storable',
  instancePath: pointer,
  params: {},
  message,
});
