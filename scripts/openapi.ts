// Prints the OpenAPI document: from the routes of a server that has nothing behind them.
import { openLog } from '../src/base/log.ts';
import { buildServer, type ServerDeps } from '../src/server.ts';

/** Stands for everything that routes use when they run, which none does here. */
const nothing: unknown = new Proxy(() => undefined, {
  get: (_target, name) => (name === 'then' ? undefined : name === Symbol.toPrimitive ? () => 1 : nothing),
  apply: () => nothing,
});
const named: Record<string | symbol, unknown> = {
  ...{ log: openLog('silent'), version: '0.0.0', role: 'all', redis: undefined },
  ...{ corsOrigins: [], trustedProxies: [], isDraining: () => false },
};
const deps = new Proxy(named, { get: (known, name) => (name in known ? known[name] : nothing) });

/** The document as text. */
export async function openapiDocument(): Promise<string> {
  const server = await buildServer(deps as unknown as ServerDeps);
  const { body } = await server.inject({ url: '/openapi.json' });
  return body;
}

if (import.meta.main) {
  console.log(await openapiDocument());
  process.exit(0);
}
