// The OpenAPI document as text, from a server whose routes have stubs for dependencies.
import { openLog } from '../src/base/log.ts';
import { buildServer, type ServerDeps } from '../src/server.ts';

/** A stub for every dependency of the routes, which never run here. */
const stub: unknown = new Proxy(() => undefined, {
  get: (_target, name) => (name === 'then' ? undefined : name === Symbol.toPrimitive ? () => 1 : stub),
  apply: () => stub,
});
const defined: Record<string | symbol, unknown> = {
  ...{ log: openLog('silent'), version: '0.0.0', role: 'all', redis: undefined },
  ...{ corsOrigins: [], trustedProxies: [], isDraining: () => false },
};
const deps = new Proxy(defined, { get: (known, name) => (name in known ? known[name] : stub) });

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
