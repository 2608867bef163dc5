// Whether this process lives, whether it can work, and its figures.
import { AppError } from '../base/errors.ts';
import type { Metrics } from '../base/metrics.ts';
import { ok } from './reply.ts';
import type { Server } from './request.ts';

export interface HealthDeps {
  metrics: Metrics;
  /** Each check by name; it rejects, saying why, when its part cannot work. */
  readiness: Record<string, () => Promise<void>>;
}

/** GET /health/live, /health/ready and /metrics. */
export function healthRoutes(server: Server, deps: HealthDeps): void {
  server.get('/health/live', { schema: { hide: true } }, async () =>
    ok('The process answers.', { status: 'live' }),
  );

  server.get('/health/ready', { schema: { hide: true } }, async () => {
    const results = await Promise.all(
      Object.entries(deps.readiness).map(async ([name, check]): Promise<[string, string]> => {
        try {
          await check();
          return [name, 'ready'];
        } catch (error) {
          return [name, error instanceof Error ? error.message : String(error)];
        }
      }),
    );
    const checks = Object.fromEntries(results);
    const broken = results.filter(([, word]) => word !== 'ready').map(([name]) => name);
    if (broken.length === 0) return ok('Everything needed is there.', { status: 'ready', checks });
    throw new AppError('not_ready', `Not ready: ${broken.join(', ')}.`, {
      extra: { checks },
      retryAfterSeconds: 2,
    });
  });

  server.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.type(deps.metrics.registry.contentType);
    return deps.metrics.registry.metrics();
  });
}
