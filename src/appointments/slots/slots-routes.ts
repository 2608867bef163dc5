// Routes that list open slots, and explain why others are not.
import { SlotsQuery, SlotsResult } from '../../contract/appointments.ts';
import { success } from '../../contract/envelope.ts';
import { ExplainedSlots } from '../../contract/explained-slots.ts';
import { ok, sendBody } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { type ExplainDeps, explainSlots } from './explained.ts';
import { type OpenSlotsDeps, openSlotsReader } from './open-slots.ts';

/** GET /v1/appointments/available-slots and slots-explained. */
export function slotsRoutes(server: Server, deps: OpenSlotsDeps & ExplainDeps): void {
  const readSlots = openSlotsReader(deps);
  server.get(
    '/v1/appointments/available-slots',
    {
      schema: {
        querystring: SlotsQuery,
        response: { 200: success(SlotsResult) },
      },
      config: { scope: 'appointments:read' },
    },
    async ({ caller, query }, reply) => {
      const { appointmentUserId: staffId, date, timezone } = query;
      const body = await readSlots({ accountId: caller.accountId, staffId, date, timezone });
      // already serialized, once for all concurrent requests
      return sendBody(reply, body);
    },
  );
  server.get(
    '/v1/appointments/slots-explained',
    {
      schema: { querystring: SlotsQuery, response: { 200: success(ExplainedSlots) } },
      config: { scope: 'appointments:manage' },
    },
    async ({ caller, query }) => {
      const { appointmentUserId: staffId, date, timezone } = query;
      const explained = await explainSlots(deps, { accountId: caller.accountId, staffId, date, timezone });
      return ok('Slots explained.', explained);
    },
  );
}
