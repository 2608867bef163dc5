// Security headers for browsers, computed once from the framework's plugin, on all responses except those of routes that opt out.
import helmet from '@fastify/helmet';
import fastify from 'fastify';
import type { Server } from './request.ts';

/** The headers that the plugin adds. It computes them for each response (measured: 9 % of the time of small requests), so compute them once. */
async function pluginHeaders(): Promise<Record<string, string>> {
  const probe = fastify();
  // a proxy terminates TLS and decides about HSTS
  await probe.register(helmet, {
    hsts: false,
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  });
  probe.get('/with', async () => '');
  probe.get('/without', { helmet: false }, async () => '');
  const [{ headers }, plain] = [await probe.inject('/with'), await probe.inject('/without')];
  await probe.close();
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !(name in plain.headers))
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Sets the headers on all routes added from now on, except routes with `helmet: false`. */
export async function addSecurityHeaders(server: Server): Promise<void> {
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
