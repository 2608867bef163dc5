// Requests of pages of other origins, which the operator allows with CORS_ORIGINS.
import cors from '@fastify/cors';
import type { FastifyRequest } from 'fastify';
import { setCommonHeaders } from './reply.ts';
import type { Server } from './request.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What callers read of a response. Pages see no other headers. */
const exposedHeaders = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'Preference-Applied',
  'Content-Disposition',
];

const isPreflight = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/** Allows pages of these origins, without credentials. `noRouteError` is what an OPTIONS that is no preflight gets. */
export async function allowOrigins(
  server: Server,
  origin: string[],
  noRouteError: (request: FastifyRequest) => Error,
): Promise<void> {
  server.addHook('onRequest', (request: FastifyRequest, reply, done) => {
    if (request.method !== 'OPTIONS' || isPreflight(request)) return done();
    // the plugin would answer with a text, before the hooks of every request
    setCommonHeaders(request, reply);
    done(noRouteError(request));
  });
  await server.register(cors, { origin, methods, exposedHeaders });
}
