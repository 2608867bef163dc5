// A server for the routes of one module: it has no keys, and a header names the account.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify from 'fastify';
import { uuidv7 } from '../../src/base/ids.ts';
import { idempotencyKeyOf } from '../../src/http/idempotency.ts';
import { sendFailure } from '../../src/http/reply.ts';
import type { Caller, Server } from '../../src/http/request.ts';
import { responseSerializer } from '../../src/http/serialization.ts';
import { requestValidator } from '../../src/http/validation.ts';

function callerOf(accountId: string, scope: string): Caller {
  const id = uuidv7();
  return { kind: 'key', id, keyId: id, name: 'test', accountId, scopes: new Set([scope]) };
}

/** Opens a server that checks requests like the gateway's; every caller has the scope, for the account in `x-account`. */
export function openModuleServer(scope: string): Server {
  const server: Server = fastify({ forceCloseConnections: true }).withTypeProvider<TypeBoxTypeProvider>();
  server.setValidatorCompiler(requestValidator());
  server.setSerializerCompiler(responseSerializer());
  server.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  server.decorateRequest('caller');
  server.decorateRequest('idempotencyKey');
  server.addHook('onRequest', async (request) => {
    request.caller = callerOf(String(request.headers['x-account']), scope);
  });
  server.addHook('preValidation', async (request) => {
    const { idempotency } = request.routeOptions.config;
    if (idempotency)
      request.idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key'], idempotency);
    if (request.body === undefined && request.routeOptions.schema?.body) request.body = {};
  });
  return server;
}
