// The OpenAPI document, made from the routes' own schemas, and its page for people.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { Failure } from '../contract/envelope.ts';
import { openapiWebhooks } from './openapi-webhooks.ts';
import type { Server } from './request.ts';

/** Every refusal that any operation may answer; particular ones are told by `code`. */
const refusals: Record<string, string> = {
  400: 'The request is invalid; `errors` lists the problems, up to 100.',
  401: 'The API key is missing or invalid.',
  403: 'The API key lacks the scope.',
  404: 'What is named does not exist in this account.',
  409: 'The state of things stands in the way; `code` says which.',
  429: 'Too many requests; `Retry-After` says when to go on.',
  500: 'A fault of ours, logged under `requestId`.',
  502: 'The platform or calendar refused; `provider` has its words.',
  503: 'The platform or calendar could not be reached; `Retry-After` says when to try again.',
};

/** The order in which the reference tells of the operations. */
const chapters = [
  'Templates',
  'Messages',
  'Media',
  'Appointments',
  'Appointments: bookings',
  'Appointments: calendars',
  'Appointments: management',
  'Webhooks',
  'Senders',
  'Keys',
];

/** Registers the document's maker; call before any route. */
export async function registerOpenapi(server: Server, version: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Chatbot Gateway',
        version,
        description: 'Message templates, appointment booking and signed status webhooks behind one HTTP API.',
        license: { name: 'MIT' },
      },
      components: {
        securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
        schemas: { Failure: JSON.parse(JSON.stringify({ ...Failure, $id: undefined })) },
      },
      security: [{ apiKey: [] }],
      webhooks: openapiWebhooks(),
      tags: chapters.map((name) => ({ name })),
    },
    transform: ({ schema, url, route }) => {
      const scope = route.config?.scope;
      if (!scope || !schema) return { schema: schema ?? {}, url };
      const failures = Object.fromEntries(
        Object.entries(refusals).map(([status, description]) => [
          status,
          {
            description,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
          },
        ]),
      );
      const idempotency = route.config?.idempotency;
      const headers = idempotency && {
        type: 'object',
        properties: { 'Idempotency-Key': { type: 'string', format: 'uuid' } },
        ...(idempotency === 'required' ? { required: ['Idempotency-Key'] } : {}),
      };
      const description = `${schema.description ? `${schema.description}\n\n` : ''}Scope: \`${scope}\`.`;
      const response = { ...(schema.response as object | undefined), ...failures };
      return { schema: { ...schema, ...(headers ? { headers } : {}), description, response }, url };
    },
  });
}

/** GET /openapi.json and /docs; call after all routes. */
export async function openapiRoutes(server: Server): Promise<void> {
  server.get('/openapi.json', { schema: { hide: true } }, async () => server.swagger());
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { persistAuthorization: true, tryItOutEnabled: true, docExpansion: 'list' },
    theme: {
      title: 'Chatbot Gateway API',
      // the bar asks for the address of some other document
      css: [{ filename: 'gateway.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  });
}
