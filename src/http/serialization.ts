// Response serialization by the contract's schemas.
import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import { once } from './once.ts';

/** The serializer of routes. A schema is compiled at the first response that needs it. */
export function responseSerializer(): FastifySerializerCompiler<object> {
  return ({ schema }) => {
    const serializer = once(() => fastJsonStringify(schema));
    return (data) => serializer()(data);
  };
}
