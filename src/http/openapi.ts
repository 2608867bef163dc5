// The OpenAPI document, generated from the routes' schemas.
import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { once } from './once.ts';
import { completeDocument, type RouteTraits } from './openapi-document.ts';
import type { Json } from './openapi-schemas.ts';
import type { Server } from './request.ts';

/** Registers the generator of the document. Call it before any route. */
export async function registerOpenapi(server: Server, version: string): Promise<void> {
  const traits = new Map<string, RouteTraits>();
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Chatbot Gateway',
        version,
        description:
          'Message templates, appointment booking and signed status webhooks behind one HTTP API. Every request carries an API key in the header `X-API-Key`, or the cookie of a session. Every success has the form `{success, message, data}`, every failure `{success, message, code, requestId}`. In request bodies, `null` for an optional field is the same as leaving the field out; in a `PATCH` only fields that can be cleared take `null`.',
        license: { name: 'MIT', identifier: 'MIT' } as { name: string },
        contact: { name: 'The operator of this gateway' },
      },
      servers: [{ url: '/', description: 'This gateway' }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'An API key of the account.',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-chatbot-gateway-session',
            description:
              'The cookie of `POST /v1/session`, for pages of the gateway. Without https it is named `chatbot-gateway-session-` and the port.',
          },
        },
      },
      security: [{ apiKey: [] }, { session: [] }],
    },
    transform: ({ schema, url, route }) => {
      const { scope, idempotency } = route.config ?? {};
      if (!scope || !schema) return { schema: schema ?? {}, url };
      const path = url.replace(/:(\w+)/g, '{$1}');
      for (const method of [route.method].flat()) traits.set(`${method} ${path}`, { scope, idempotency });
      return { schema, url };
    },
    transformObject: (made) =>
      completeDocument(
        ('openapiObject' in made ? made.openapiObject : {}) as unknown as Json,
        traits,
      ) as never,
  });
}

/**
 * GET /openapi.json, and the same document for /docs. It is serialized once, and its digest is the ETag: who has it already gets a 304.
 * Call it after all routes. Returns the handler.
 */
export function openapiRoutes(server: Server): SendDocument {
  const prepared = once(() => {
    const bytes = Buffer.from(JSON.stringify(server.swagger()));
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
  });
  const send: SendDocument = (request, reply) => {
    const { bytes, etag } = prepared();
    // stored by caches, but only used after asking: an upgrade changes the document
    reply.headers({ 'Cache-Control': 'no-cache', ETag: etag });
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(bytes);
  };
  server.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => send(request, reply));
  return send;
}

/** Sends the document, or a 304. */
export type SendDocument = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** True if the header names this ETag (RFC 9110 section 13.1.2). A proxy that compresses marks it as weak. */
const isKnown = (header = '', etag: string): boolean =>
  header.split(',').some((one) => [etag, '*'].includes(one.trim().replace(/^W\//, '')));
