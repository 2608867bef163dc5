// A test event to one endpoint, sent once while the caller waits.
import { uuidv7 } from '../base/ids.ts';
import type { Db } from '../db/db.ts';
import type { Deliveries } from './delivery/deliveries.ts';
import type { AttemptResult } from './delivery/delivery.ts';
import { eventBody } from './delivery/event.ts';
import { recordEndpointRecovery } from './delivery/store.ts';
import { type EndpointDeps, endpointNotFound, getEndpoint } from './endpoints/endpoint.ts';
import { insertAttemptedDelivery } from './publish-store.ts';

export interface TestEventDeps extends Pick<EndpointDeps, 'clock'> {
  db: Db;
  deliveries: Pick<Deliveries, 'attemptOnce'>;
}

/**
 * Posts a test event whatever the endpoint's state, so that its owner can test before activating it. The event is listed among the deliveries. It
 * is not retried, and its failure does not count against the endpoint.
 */
export async function sendTestEvent(
  deps: TestEventDeps,
  input: { accountId: string; id: string },
): Promise<{ deliveryId: string; result: AttemptResult }> {
  const endpoint = await getEndpoint(deps.db, input.accountId, input.id);
  const now = deps.clock.now();
  const deliveryId = uuidv7(now);
  const body = eventBody('test', now, { endpointId: endpoint.id, message: 'A test event, sent on request.' });
  const result = await deps.deliveries.attemptOnce({
    id: deliveryId,
    endpointId: endpoint.id,
    version: endpoint.version,
    body,
  });
  if (result === undefined) throw endpointNotFound();
  await deps.db.transaction().execute(async (tx) => {
    await insertAttemptedDelivery(tx, {
      id: deliveryId,
      accountId: input.accountId,
      endpointId: endpoint.id,
      subjectId: uuidv7(now),
      stage: 0,
      kind: 'test',
      messageId: null,
      body,
      result,
    });
    if (result.delivered) await recordEndpointRecovery(tx, [endpoint.id]);
  });
  return { deliveryId, result };
}
