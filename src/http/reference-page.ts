// GET /docs: the OpenAPI document as a page, served without external files.
import { readFileSync } from 'node:fs';
import swaggerUi from '@fastify/swagger-ui';
import type { SendDocument } from './openapi.ts';
import type { Server } from './request.ts';

/** Swagger UI uses inline styles; everything else is loaded from this gateway. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Runs in the browser. With this header a session of the dashboard may make changes, so who is signed in needs no key here. */
function markRequest<T extends object>(request: T): T {
  Object.assign((request as unknown as { headers: object }).headers, {
    'X-Requested-With': 'chatbot-gateway',
  });
  return request;
}

const fileText = (name: string) => readFileSync(new URL(`reference/${name}`, import.meta.url), 'utf8');

/** Registers the page; call after all routes. `sendDocument` sends the document that the page reads. */
export async function referencePage(server: Server, sendDocument: SendDocument): Promise<void> {
  await server.register(async (scope) => {
    // the plugin would serialize the document for each reader
    scope.addHook('preHandler', async (request, reply) =>
      request.routeOptions.url === '/docs/json' ? sendDocument(request, reply) : undefined,
    );
    scope.addHook('onSend', async (_request, _reply, payload) =>
      // the plugin's page has no viewport, so a phone would show it in desktop width
      typeof payload === 'string' && payload.includes('<div id="swagger-ui">')
        ? payload.replace(
            '<head>',
            '<head><meta name="viewport" content="width=device-width, initial-scale=1">',
          )
        : payload,
    );
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: true,
      transformStaticCSP: () => policy,
      // an API key stays in the memory of the page: what is stored outlives it, and every page of this origin can read it
      uiConfig: {
        persistAuthorization: false,
        tryItOutEnabled: true,
        docExpansion: 'list',
        requestInterceptor: markRequest,
        // commands to copy do not need the header
        showMutatedRequest: false,
      },
      theme: {
        title: 'Chatbot Gateway API',
        css: [{ filename: 'page.css', content: fileText('page.css') }],
        js: [{ filename: 'page.js', content: fileText('page.js') }],
      },
    });
  });
}
