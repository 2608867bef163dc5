// Routes: retention.
import { success } from '../contract/envelope.ts';
import { Retention, RetentionBody } from '../contract/retention.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { type AccountRetentionDeps, readRetention, writeRetention } from './account-retention.ts';

export type RetentionRoutesDeps = AccountRetentionDeps;

/** GET and PUT /v1/retention. */
export function retentionRoutes(server: Server, deps: RetentionRoutesDeps): void {
  const response = { 200: success(Retention) };
  const config = { scope: 'manage' } as const;

  server.get('/v1/retention', { schema: { response }, config }, async ({ caller }) =>
    ok('Retention found.', await readRetention(deps, caller.accountId)),
  );

  server.put(
    '/v1/retention',
    { schema: { body: RetentionBody, response }, config },
    async ({ caller, body }) => ok('Retention stored.', await writeRetention(deps, caller.accountId, body)),
  );
}
