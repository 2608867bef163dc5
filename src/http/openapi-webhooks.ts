// The webhooks of the OpenAPI document: what receivers are sent, with which headers, and what they may answer.
import { documentedEvents } from '../contract/events.ts';

const signature =
  '`sha256=` and the HMAC-SHA-256 of the exact body in hex, keyed with the secret as it was shown.';

const headers: Record<string, string> = {
  'x-webhook-signature': signature,
  'webhook-id': 'The same on every try and replay of a delivery: keep it to drop repeats.',
  'webhook-timestamp': 'The time of this try, in epoch seconds.',
  'webhook-signature':
    'As in Standard Webhooks 1.0.0; during a rotation of the secret two, with a space between.',
};

const parameters = Object.entries(headers).map(([name, description]) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
}));

const responses = {
  '2XX': { description: 'Taken; its body is kept for the owner to look at, and otherwise ignored.' },
  410: { description: 'Gone for good: the endpoint is disabled.' },
  default: { description: 'Not taken: it is tried again, as late as `Retry-After` asks.' },
};

/** One entry a kind of event, for `webhooks` of an OpenAPI 3.1 document. */
export function openapiWebhooks() {
  return Object.fromEntries(
    Object.entries(documentedEvents).map(([kind, { summary, body }]) => [
      kind,
      {
        post: {
          summary,
          tags: ['Webhooks'],
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: JSON.parse(JSON.stringify(body)) } },
          },
          responses,
        },
      },
    ]),
  );
}
