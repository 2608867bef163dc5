// The route that lists open slots.
import { SlotsQuery, SlotsResult } from '../../contract/appointments.ts';
import { success } from '../../contract/envelope.ts';
import type { Server } from '../../http/request.ts';
import { type OpenSlotsDeps, openSlotsReader } from './open-slots.ts';

/** GET /v1/appointments/available-slots. */
export function slotsRoutes(server: Server, deps: OpenSlotsDeps): void {
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
      return reply.type('application/json; charset=utf-8').send(body as never);
    },
  );
}
