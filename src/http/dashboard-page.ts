// The dashboard: its built files with immutable caching, and its page at every address that it knows.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';
import type { Server } from './request.ts';

/** Where the build puts the dashboard; see `dashboard/vite.config.ts`. */
const folder = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));

/** What the build leaves in the page for the nonce of each response. */
const noncePlaceholder = /__NONCE__/g;

/** First segments of the dashboard's addresses, besides /health. `dashboard/src/router.tsx` has the pages. */
const dashboardRooms = [
  'messages',
  'conversations',
  'sends',
  'templates',
  'appointments',
  'users',
  'senders',
  'webhooks',
  'keys',
  'audit',
  'settings',
] as const;

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The page, which knows whether there is a sandbox without asking. */
const marked = (page: string, hasSandbox: boolean): string =>
  hasSandbox ? page.replace('<html', '<html data-sandbox') : page;

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Chatbot Gateway</title>
<p>The dashboard is not built. Run <code>npm run dashboard:build</code> in the gateway's folder and start it again.</p>
<p>Everything else works: <a href="/docs">the API</a>.</p></html>`;

/** True for a request that a browser makes to show a page. */
const isBrowser = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false;

/** The 404 of a program that takes the dashboard's page for a health check: it would always succeed. */
const noHealthCheck = () =>
  new AppError('not_found', 'The health checks are GET /health/live and GET /health/ready.');

/** Below these are operations only: whoever opens one in a browser reads what programs get. */
const ofPrograms = /^\/(v1|health)([/?]|$)/;

/** True for a browser that was led to an address that does not exist, such as by an old link. */
const isLost = (request: FastifyRequest): boolean =>
  request.is404 && request.method === 'GET' && isBrowser(request) && !ofPrograms.test(request.url);

interface Dashboard {
  /** Adds its routes. */
  serve: (server: Server) => Promise<void>;
  /** Sends the page with 404 to a browser whose address does not exist: the page says so. False: the request is another one. */
  sendToLost: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

/**
 * The dashboard as it was built, with a page at /sandbox if the gateway runs its sandbox. Without a build, its address says how to
 * build it. The page is never cached, and allows only its own styles by a nonce; the files have a digest in their names, and are
 * cached for ever.
 */
export function readDashboard(hasSandbox: boolean): Dashboard {
  const pageFile = join(folder, 'index.html');
  const page = existsSync(pageFile) ? marked(readFileSync(pageFile, 'utf8'), hasSandbox) : undefined;

  function sendPage(reply: FastifyReply): FastifyReply {
    const nonce = randomBytes(16).toString('base64');
    reply.header('Content-Security-Policy', policy(nonce)).type('text/html; charset=utf-8');
    return reply.send(page?.replaceAll(noncePlaceholder, nonce) ?? notBuilt);
  }

  async function serve(server: Server): Promise<void> {
    const options = { schema: { hide: true } };
    server.get('/', options, async (_request, reply) => sendPage(reply));
    // the page alone: below it are operations, which do not exist with a real platform
    if (hasSandbox) server.get('/sandbox', options, async (_request, reply) => sendPage(reply));
    for (const room of dashboardRooms) {
      server.get(`/${room}`, options, async (_request, reply) => sendPage(reply));
      server.get(`/${room}/*`, options, async (_request, reply) => sendPage(reply));
    }
    // the page alone, and for browsers only: a misspelt health check must not get 200
    server.get('/health', options, async (request, reply) => {
      if (!isBrowser(request)) throw noHealthCheck();
      return sendPage(reply);
    });
    if (page === undefined) return;
    await server.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      decorateReply: false,
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
      cacheControl: true,
      schemaHide: true,
    });
  }
  return {
    serve,
    sendToLost: (request, reply) => {
      if (page === undefined || !isLost(request)) return false;
      sendPage(reply.code(404));
      return true;
    },
  };
}
