// Routes: the overview.
import { success } from '../contract/envelope.ts';
import { Overview, OverviewQuery } from '../contract/overview.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { type OverviewDeps, readOverview } from './overview.ts';

export type OverviewRoutesDeps = OverviewDeps;

/** GET /v1/overview. */
export function overviewRoutes(server: Server, deps: OverviewRoutesDeps): void {
  server.get(
    '/v1/overview',
    {
      schema: { querystring: OverviewQuery, response: { 200: success(Overview) } },
      config: { scope: 'any' },
    },
    async ({ caller, query }) => ok('Overview read.', await readOverview(deps, caller, query.timezone)),
  );
}
