// Route of test events.

import { TestResult } from '../contract/deliveries.ts';
import { success } from '../contract/envelope.ts';
import { IdParams } from '../contract/webhooks.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { sendTestEvent, type TestEventDeps } from './test-event.ts';

/** `POST /v1/webhooks/endpoints/:id/test`. */
export function testEventRoute(server: Server, deps: TestEventDeps): void {
  server.post(
    '/v1/webhooks/endpoints/:id/test',
    {
      schema: {
        params: IdParams,
        response: { 200: success(TestResult) },
      },
      config: { scope: 'webhooks:manage' },
    },
    async ({ caller, params }) => {
      const { deliveryId, result } = await sendTestEvent(deps, {
        accountId: caller.accountId,
        id: params.id,
      });
      return ok(result.delivered ? 'The test event was delivered.' : 'The test event was not delivered.', {
        deliveryId,
        delivered: result.delivered,
        statusCode: result.status,
        failure: result.delivered ? null : result.reason,
        durationMs: result.durationMs,
        answer: result.answer,
        detail: result.delivered ? null : result.detail,
      });
    },
  );
}
