// The operations of webhook endpoints and deliveries.
import type { Operation } from './operation.ts';

const webhooks = { tag: 'Webhooks' };

export const webhookOperations: Record<string, Operation> = {
  'GET /v1/webhooks/endpoints': {
    ...webhooks,
    id: 'listEndpoints',
    summary: 'List webhook endpoints',
    message: 'Webhook endpoints listed.',
  },
  'POST /v1/webhooks/endpoints': {
    ...webhooks,
    id: 'createEndpoint',
    summary: 'Create a webhook endpoint',
    description: 'Returns the secret, which is shown only once. An account has at most 10 endpoints.',
    errors: ['endpoint_limit_reached'],
    message: 'Webhook endpoint added. Its secret is shown only once.',
  },
  'GET /v1/webhooks/endpoints/{id}': {
    ...webhooks,
    id: 'getEndpoint',
    summary: 'Get a webhook endpoint',
    errors: ['endpoint_not_found'],
    message: 'Webhook endpoint found.',
  },
  'PATCH /v1/webhooks/endpoints/{id}': {
    ...webhooks,
    id: 'updateEndpoint',
    summary: 'Update, pause or resume a webhook endpoint',
    description:
      'While an endpoint is paused, its events are kept. `status: active` also re-enables a disabled endpoint and clears `restingUntil`.',
    errors: ['endpoint_not_found'],
    message: 'Webhook endpoint changed.',
  },
  'DELETE /v1/webhooks/endpoints/{id}': {
    ...webhooks,
    id: 'deleteEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'Its pending deliveries become dead.',
    errors: ['endpoint_not_found'],
    message: 'Webhook endpoint deleted.',
  },
  'POST /v1/webhooks/endpoints/{id}/rotate-secret': {
    ...webhooks,
    id: 'rotateEndpointSecret',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'For `overlapSeconds` the header webhook-signature carries signatures of both secrets. The header x-webhook-signature holds one signature: it uses the old secret until you activate the new one or the overlap ends.',
    errors: ['endpoint_not_found', 'rotation_in_progress'],
    message: 'Secret rotated. The new one is shown only once.',
  },
  'POST /v1/webhooks/endpoints/{id}/activate-secret': {
    ...webhooks,
    id: 'activateEndpointSecret',
    summary: 'Activate the new secret of a webhook endpoint',
    description: 'From now on x-webhook-signature is made with the new secret.',
    errors: ['endpoint_not_found'],
    message: 'The new secret is active.',
  },
  'POST /v1/webhooks/endpoints/{id}/test': {
    ...webhooks,
    id: 'testEndpoint',
    summary: 'Send a test event',
    description: 'Posts one event of kind `test`, without retries, and returns the response of the receiver.',
    errors: ['held', 'endpoint_not_found'],
    message: 'The test event was delivered.',
  },
  'POST /v1/webhooks/endpoints/{id}/replay': {
    ...webhooks,
    id: 'replayEndpoint',
    summary: 'Replay a time range',
    description:
      'Delivers the deliveries of this endpoint that were created in `[from, to)` again, of one status or of all, with the same webhook-id. The replay is throttled; list the replays to see its progress.',
    errors: ['endpoint_not_found', 'endpoint_disabled'],
    message: 'Replay started.',
  },
  'GET /v1/webhooks/endpoints/{id}/replays': {
    ...webhooks,
    id: 'listReplays',
    summary: 'List the replays of a webhook endpoint',
    description: 'Newest first, each with its progress.',
    errors: ['endpoint_not_found'],
    message: 'Replays listed.',
  },
  'GET /v1/webhooks/deliveries': {
    ...webhooks,
    id: 'listDeliveries',
    summary: 'List webhook deliveries',
    description:
      'Newest first. A page of a filtered list can hold fewer than `limit` items, even none, although more follow: continue until `nextCursor` is null.',
    message: 'Webhook deliveries listed.',
  },
  'GET /v1/webhooks/deliveries/{id}': {
    ...webhooks,
    id: 'getDelivery',
    summary: 'Get a webhook delivery',
    description: 'Returns the exact bytes of its body and every attempt.',
    errors: ['delivery_not_found'],
    message: 'Webhook delivery found.',
  },
  'POST /v1/webhooks/deliveries/{id}/replay': {
    ...webhooks,
    id: 'replayDelivery',
    summary: 'Replay a webhook delivery',
    description: 'Delivers the event again with the same webhook-id.',
    errors: ['delivery_not_found', 'endpoint_not_found', 'endpoint_disabled'],
    message: 'Webhook delivery is due again.',
  },
};
