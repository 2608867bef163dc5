// Response serialization by the contract's schemas.
import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import { formats } from './formats.ts';
import { once } from './once.ts';

/** Known, and not checked: what was stored before a format was introduced is returned as it is. */
const ajv = { formats: Object.fromEntries(Object.keys(formats).map((name) => [name, true as const])) };

/** The serializer of routes. A schema is compiled at the first response that needs it. */
export function responseSerializer(): FastifySerializerCompiler<object> {
  return ({ schema }) => {
    const serializer = once(() => fastJsonStringify(schema, { ajv }));
    return (data) => serializer()(data);
  };
}
