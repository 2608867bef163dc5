// Routes of operators.
import { operatorScope, success } from '../contract/envelope.ts';
import { OperatorHealth } from '../contract/operator.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { type OperatorHealthDeps, openOperatorHealth } from './health.ts';

export type OperatorRoutesDeps = OperatorHealthDeps;

/** GET /v1/operator/health. */
export function operatorRoutes(server: Server, deps: OperatorRoutesDeps): void {
  const readHealth = openOperatorHealth(deps);
  server.get(
    '/v1/operator/health',
    { schema: { response: { 200: success(OperatorHealth) } }, config: { scope: operatorScope } },
    async () => ok('Health read.', await readHealth()),
  );
}
