// Webhook deliveries and replays on the wire.
import { type Static, Type } from 'typebox';
import { cursorProperties, Id, instant, nullable } from './envelope.ts';
import { endpointExample, subscribableKinds } from './webhooks.ts';

/** Why an attempt can fail. Every response other than 2xx, redirects included, is `status`. */
export const attemptFailures = [
  'timeout',
  'refused',
  'dns',
  'tls',
  'reset',
  'status',
  'blocked_address',
  'too_large',
] as const;
export type AttemptFailure = (typeof attemptFailures)[number];

const AttemptFailure = Type.Enum([...attemptFailures], {
  description:
    '`status`: a response other than 2xx. `reset`: the connection broke, or the response was not HTTP. `too_large`: the headers of the response were too large.',
});
const DeliveryFailure = Type.Enum([...attemptFailures, 'endpoint_disabled', 'endpoint_deleted'], {
  description: 'How the last attempt failed, or what happened to the endpoint before an attempt succeeded.',
});
const ResponseBody = nullable(
  Type.String({ description: 'The first 4 KB of the response body, as UTF-8 text.' }),
);
const Detail = nullable(Type.String({ description: 'What went wrong, if there was no complete response.' }));

const closed = { additionalProperties: false } as const;

const deliveryFields = {
  _id: Id,
  endpointId: Type.String({ ...Id, description: 'Id of the endpoint.' }),
  event: Type.String({ description: 'The kind of event.' }),
  stage: nullable(
    Type.Enum(['sent', 'delivered', 'read', 'failed'], {
      description: 'The stage of the message that the event reports; null for other events.',
    }),
  ),
  messageId: nullable(
    Type.String({ description: "The platform's message identifier; null for events of another subject." }),
  ),
  status: Type.Enum(['pending', 'delivered', 'dead'], {
    description: '`dead`: the gateway gave up; the delivery can be replayed.',
  }),
  attempts: Type.Integer({ description: 'Attempts so far.' }),
  nextAttemptAt: nullable(
    instant(
      'When the next attempt is due; null while the endpoint is paused or disabled. A delivery that waits for an earlier stage is due when that stage has ended, at this instant at the latest.',
    ),
  ),
  lastStatusCode: nullable(Type.Integer({ description: 'HTTP status of the last attempt.' })),
  lastFailure: nullable(DeliveryFailure),
  createdAt: instant('When the delivery was created.'),
  deliveredAt: nullable(instant('When the receiver accepted the event.')),
};
export const deliveryExample = {
  _id: '019a0b5e-7c00-7000-8000-000000000008',
  endpointId: endpointExample._id,
  event: 'messages.status',
  stage: 'delivered',
  messageId: 'wamid.HBgLMTU1NTEyMzQ1NjcVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
  status: 'delivered',
  attempts: 1,
  nextAttemptAt: null,
  lastStatusCode: 200,
  lastFailure: null,
  createdAt: '2026-03-10T14:00:00.000Z',
  deliveredAt: '2026-03-10T14:00:00.120Z',
};
export const DeliveryItem = Type.Object(deliveryFields, {
  title: 'Delivery',
  description: 'An event on its way to one endpoint.',
  examples: [deliveryExample],
});
export type DeliveryItem = Static<typeof DeliveryItem>;

export const AttemptRequest = Type.Object(
  {
    method: Type.Literal('POST', { description: 'The method.' }),
    url: nullable(
      Type.String({
        description:
          'The address that was posted to; null if the address of the endpoint was changed after the attempt, or at most 3 minutes before it.',
      }),
    ),
    headers: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the header.' }),
          value: nullable(Type.String({ description: 'Its value; null if it is no longer known.' })),
        },
        { title: 'SentHeader', description: 'A header of a request.' },
      ),
      {
        description:
          'The headers, in the order in which they were sent. `webhook-timestamp` is stored with attempts that failed; the others follow from the delivery and its endpoint, and are null where they no longer do: signatures after a rotation of the secret, or of an endpoint that was deleted. Of attempts that succeeded, `webhook-timestamp` and `webhook-signature` are null. `connection`, and `traceparent` while traces are exported, are not listed.',
      },
    ),
  },
  {
    title: 'AttemptRequest',
    description: 'What an attempt sent besides the body: only what is exactly known.',
  },
);
export type AttemptRequest = Static<typeof AttemptRequest>;

const AttemptItem = Type.Object(
  {
    number: Type.Integer({ description: 'Number of the attempt, from 1.' }),
    at: instant('When the attempt ended.'),
    statusCode: nullable(Type.Integer({ description: 'HTTP status of the response.' })),
    failure: nullable(AttemptFailure),
    durationMs: nullable(Type.Integer({ description: 'Duration in milliseconds.' })),
    answer: ResponseBody,
    detail: Detail,
    request: AttemptRequest,
  },
  { title: 'Attempt', description: 'One attempt of a delivery.' },
);

export const DeliveryDetail = Type.Object(
  {
    ...deliveryFields,
    body: Type.String({ description: 'The exact bytes of the request body.' }),
    attemptLog: Type.Array(AttemptItem, { description: 'The attempts, in order.' }),
  },
  {
    title: 'DeliveryDetail',
    description: 'A delivery with its body and attempts.',
    examples: [
      {
        ...deliveryExample,
        body: '{"event":"messages.status","timestamp":"2026-03-10T14:00:00.000Z","data":{}}',
        attemptLog: [
          {
            number: 1,
            at: '2026-03-10T14:00:00.120Z',
            statusCode: 200,
            failure: null,
            durationMs: 41,
            answer: 'ok',
            detail: null,
            request: {
              method: 'POST',
              url: 'https://example.com/webhooks',
              headers: [
                { name: 'content-type', value: 'application/json' },
                { name: 'webhook-timestamp', value: null },
              ],
            },
          },
        ],
      },
    ],
  },
);
export type DeliveryDetail = Static<typeof DeliveryDetail>;

const DeliveryStatus = Type.Enum(['pending', 'delivered', 'dead'], {
  description: 'Only deliveries with this status.',
});

export const DeliveryListQuery = Type.Object(
  {
    endpointId: Type.Optional(Type.String({ description: 'Only deliveries to this endpoint.' })),
    messageId: Type.Optional(
      Type.String({
        maxLength: 256,
        description: "Only deliveries of this message (the platform's identifier).",
      }),
    ),
    event: Type.Optional(
      Type.Enum([...subscribableKinds, 'test'], {
        type: 'string',
        description: 'Only deliveries of events of this kind.',
      }),
    ),
    status: Type.Optional(DeliveryStatus),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only deliveries created at or after this instant.' }),
    ),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only deliveries created before this instant.' }),
    ),
    ...cursorProperties,
  },
  closed,
);

export const ReplayBody = Type.Object(
  {
    from: Type.String({ format: 'date-time', description: 'Start of the range (included).' }),
    to: Type.String({ format: 'date-time', description: 'End of the range (excluded).' }),
    status: Type.Optional(DeliveryStatus),
  },
  {
    ...closed,
    title: 'ReplayRange',
    description: 'The deliveries to replay.',
    examples: [{ from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', status: 'dead' }],
  },
);

export const ReplayListQuery = Type.Object(cursorProperties, closed);

export const ReplayItem = Type.Object(
  {
    _id: Id,
    endpointId: Type.String({ ...Id, description: 'Id of the endpoint.' }),
    from: instant('Start of the range (included).'),
    to: instant('End of the range (excluded).'),
    status: nullable(DeliveryStatus),
    replayed: Type.Integer({ description: 'Deliveries that were made due again so far.' }),
    reachedAt: instant('Progress: deliveries created before this instant were processed.'),
    finished: Type.Boolean({ description: 'Whether the whole range was processed.' }),
    createdAt: instant('When the replay was requested.'),
    finishedAt: nullable(instant('When the replay finished.')),
  },
  {
    title: 'Replay',
    description: 'A replay of a time range.',
    examples: [
      {
        _id: '019a0b5e-7c00-7000-8000-000000000009',
        endpointId: endpointExample._id,
        from: '2026-03-01T00:00:00.000Z',
        to: '2026-03-02T00:00:00.000Z',
        status: 'dead',
        replayed: 120,
        reachedAt: '2026-03-02T00:00:00.000Z',
        finished: true,
        createdAt: '2026-03-10T14:00:00.000Z',
        finishedAt: '2026-03-10T14:00:02.000Z',
      },
    ],
  },
);
export type ReplayItem = Static<typeof ReplayItem>;

export const TestResult = Type.Object(
  {
    deliveryId: Type.String({ ...Id, description: 'Id of the delivery.' }),
    delivered: Type.Boolean({ description: 'Whether the receiver accepted the event.' }),
    statusCode: nullable(Type.Integer({ description: 'HTTP status of the response.' })),
    failure: nullable(AttemptFailure),
    durationMs: Type.Integer({ description: 'Duration in milliseconds.' }),
    answer: ResponseBody,
    detail: Detail,
  },
  {
    title: 'TestResult',
    description: 'The response of the receiver to a test event.',
    examples: [
      {
        deliveryId: '019a0b5e-7c00-7000-8000-000000000008',
        delivered: true,
        statusCode: 200,
        failure: null,
        durationMs: 41,
        answer: 'ok',
        detail: null,
      },
    ],
  },
);
