// How requests are checked against the contract: bodies as they are, queries with their numbers read from text.
import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';

const options: Options = {
  // every fault is named, not just the first
  allErrors: true,
  removeAdditional: false,
  useDefaults: true,
  strict: false,
};

function compiler(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ ...options, coerceTypes });
  addFormats.default(ajv);
  return ajv;
}

/** The validator of routes. A body's number must be a number; a query's is text and is read as one. */
export function requestValidator(): FastifySchemaCompiler<object> {
  const bodies = compiler(false);
  const queries = compiler(true);
  return ({ schema, httpPart }) => (httpPart === 'body' ? bodies : queries).compile(schema);
}
