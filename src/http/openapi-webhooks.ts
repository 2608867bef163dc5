// The webhooks of the OpenAPI document: the requests to receivers, their headers, and the expected responses. Pure.
import { documentedEvents } from '../contract/events.ts';
import { exampleOf, type Json, type openComponents } from './openapi-schemas.ts';

const headers: [name: string, description: string, example: string][] = [
  [
    'x-webhook-signature',
    '`sha256=` and the HMAC-SHA-256 of the exact body in hex. The key is the secret as it was shown.',
    'sha256=6f3d0c9b1e5a4c7f8d2e6b9a0c1d3f5e7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d',
  ],
  [
    'webhook-id',
    'The same on every attempt and replay of a delivery. Store it to drop repetitions.',
    '019a0b5e-7c00-7000-8000-000000000008',
  ],
  ['webhook-timestamp', 'The time of this attempt, in epoch seconds.', '1773151200'],
  [
    'webhook-signature',
    'As in Standard Webhooks 1.0.0. During a secret rotation it holds two signatures, separated by a space.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
];

const parameters = headers.map(([name, description, example]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
}));

const responses = {
  '2XX': { description: 'Accepted. The gateway keeps the start of the body and otherwise ignores it.' },
  410: { description: 'Gone: the gateway disables the endpoint.' },
  default: { description: 'Not accepted: the gateway retries, and respects `Retry-After`.' },
};

/** The `webhooks` of the OpenAPI 3.1 document, one per event type. */
export function openapiWebhooks(components: ReturnType<typeof openComponents>): Json {
  return Object.fromEntries(
    Object.entries(documentedEvents).map(([kind, { summary, body }]) => {
      const schema = components.shared(JSON.parse(JSON.stringify(body)));
      const example = exampleOf(schema, components.schemas);
      return [
        kind,
        {
          post: {
            operationId: `on${kind.replace(/(^|[._])([a-z])/g, (_all, _dot, letter: string) => letter.toUpperCase())}`,
            summary,
            description: `An event of kind \`${kind}\`.`,
            tags: ['Webhooks'],
            security: [],
            parameters,
            requestBody: {
              required: true,
              content: { 'application/json': { schema, example } },
            },
            responses,
          },
        },
      ];
    }),
  );
}
