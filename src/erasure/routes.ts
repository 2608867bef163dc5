// Route: the erasure of a person.
import { success } from '../contract/envelope.ts';
import { EraseBody, Erasure } from '../contract/erasure.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { type ErasureDeps, erasePerson } from './request.ts';

export type ErasureRoutesDeps = ErasureDeps;

/** POST /v1/contacts/erase. */
export function erasureRoutes(server: Server, deps: ErasureRoutesDeps): void {
  server.post(
    '/v1/contacts/erase',
    {
      schema: { body: EraseBody, response: { 200: success(Erasure) } },
      config: { scope: 'manage' },
    },
    async ({ caller, body }) => {
      const erasure = await erasePerson(deps, caller.accountId, body);
      return ok(erasure.finished ? 'Person erased.' : 'The person is being erased.', erasure);
    },
  );
}
