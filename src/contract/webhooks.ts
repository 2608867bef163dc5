// Webhook endpoints, deliveries and the events themselves on the wire.
import { type Static, Type } from 'typebox';
import { cursorProperties, Id, Instant, nullable, pageProperties } from './envelope.ts';

/** Kinds that an endpoint may ask for; `test` comes only from the test operation. */
export const subscribableKinds = [
  'messages.status',
  'templates.status',
  'appointments.booked',
  'appointments.cancelled',
  'appointments.rescheduled',
  'calendars.status',
] as const;
export type SubscribableKind = (typeof subscribableKinds)[number];
export type EventKind = SubscribableKind | 'test';

/** What a try can fail by; a redirect, 410 and every other answer that is no 2xx is `status`, with its code beside it. */
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
    '`status`: an answer that is no 2xx; `reset`: the connection broke, or what came was not HTTP; `too_large`: its headers had no end.',
});
const DeliveryFailure = Type.Enum([...attemptFailures, 'endpoint_disabled', 'endpoint_deleted'], {
  description: 'How the last try failed, or what happened to the endpoint before a try succeeded.',
});
const Answer = nullable(
  Type.String({ description: 'The first 4 KB of what the receiver answered, as UTF-8 text.' }),
);
const Detail = nullable(
  Type.String({ description: 'What went wrong where there was no whole answer, in words.' }),
);

const closed = { additionalProperties: false } as const;

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Where events are posted. https only (in the sandbox http too); private, loopback, link-local and metadata addresses are refused.',
  examples: ['https://example.com/webhooks'],
});
const Description = Type.String({ maxLength: 500 });
const Events = Type.Array(Type.Enum([...subscribableKinds], { type: 'string' }), {
  minItems: 1,
  maxItems: subscribableKinds.length,
  uniqueItems: true,
  description: 'The kinds of event that this endpoint gets. Default: `messages.status`.',
});
const Secret = Type.String({
  minLength: 16,
  maxLength: 256,
  description: 'A secret of your own: 16 to 256 printable ASCII characters. Without it one is made.',
});

export const EndpointItem = Type.Object({
  _id: Id,
  url: Type.String(),
  description: nullable(Type.String()),
  events: Type.Array(Type.String()),
  status: Type.Enum(['active', 'paused', 'disabled']),
  disabledReason: nullable(Type.String()),
  failingSince: nullable(Instant),
  restingUntil: nullable(
    Type.String({
      format: 'date-time',
      description:
        'Nothing is tried before this instant, after failures or because the receiver asked for it by Retry-After. `PATCH` with `status: active`, or a test event that succeeds, ends the rest.',
    }),
  ),
  rotation: nullable(
    Type.Object(
      {
        overlapUntil: Instant,
        activated: Type.Boolean({ description: 'Whether x-webhook-signature is made with the new secret.' }),
      },
      { description: 'Set while two secrets are valid.' },
    ),
  ),
  createdAt: Instant,
});
export type EndpointItem = Static<typeof EndpointItem>;

/** An endpoint at its creation or rotation: the one time that its secret is shown. */
export const ShownEndpoint = Type.Object({
  ...EndpointItem.properties,
  secret: Type.String({ description: 'Shown this once: store it now.' }),
});

export const EndpointListQuery = Type.Object(pageProperties, closed);
export const IdParams = Type.Object({ id: Type.String() }, closed);

export const CreateEndpointBody = Type.Object(
  {
    url: Url,
    description: Type.Optional(Description),
    events: Type.Optional(Events),
    secret: Type.Optional(Secret),
  },
  { ...closed, examples: [{ url: 'https://example.com/webhooks', events: ['messages.status'] }] },
);

export const ChangeEndpointBody = Type.Object(
  {
    url: Type.Optional(Url),
    description: Type.Optional(nullable(Description)),
    events: Type.Optional(Events),
    status: Type.Optional(
      Type.Enum(['active', 'paused'], {
        description: 'Paused: events are kept. Active again, also after being disabled: they are delivered.',
      }),
    ),
  },
  { ...closed, minProperties: 1, examples: [{ status: 'paused' }] },
);

export const RotateSecretBody = Type.Object(
  {
    secret: Type.Optional(Secret),
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        default: 86_400,
        description: 'How long both secrets sign; 0 switches at once.',
      }),
    ),
  },
  closed,
);

export const DeliveryItem = Type.Object({
  _id: Id,
  endpointId: Id,
  event: Type.String(),
  messageId: nullable(Type.String()),
  status: Type.Enum(['pending', 'delivered', 'dead']),
  attempts: Type.Integer(),
  nextAttemptAt: nullable(
    Type.String({
      format: 'date-time',
      description:
        'When it is tried next: not while its endpoint rests, and null while that is paused or disabled. One that waits for an earlier stage is tried when that has ended, at the latest then.',
    }),
  ),
  lastStatusCode: nullable(Type.Integer()),
  lastFailure: nullable(DeliveryFailure),
  createdAt: Instant,
  deliveredAt: nullable(Instant),
});
export type DeliveryItem = Static<typeof DeliveryItem>;

const AttemptItem = Type.Object({
  number: Type.Integer(),
  at: Type.String({ format: 'date-time', description: 'When it ended.' }),
  statusCode: nullable(Type.Integer()),
  failure: nullable(AttemptFailure),
  durationMs: nullable(Type.Integer()),
  answer: Answer,
  detail: Detail,
});

export const DeliveryDetail = Type.Object({
  ...DeliveryItem.properties,
  body: Type.String({ description: 'The exact bytes that were or will be posted.' }),
  attemptLog: Type.Array(AttemptItem),
});
export type DeliveryDetail = Static<typeof DeliveryDetail>;

const InstantInput = Type.String({ format: 'date-time', description: 'RFC 3339 instant.' });
const DeliveryStatus = Type.Enum(['pending', 'delivered', 'dead']);

export const DeliveryListQuery = Type.Object(
  {
    endpointId: Type.Optional(Type.String()),
    messageId: Type.Optional(Type.String({ maxLength: 256 })),
    status: Type.Optional(DeliveryStatus),
    from: Type.Optional(InstantInput),
    to: Type.Optional(InstantInput),
    ...cursorProperties,
  },
  closed,
);

export const ReplayBody = Type.Object(
  {
    from: InstantInput,
    to: InstantInput,
    status: Type.Optional(DeliveryStatus),
  },
  { ...closed, examples: [{ from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', status: 'dead' }] },
);

export const ReplayListQuery = Type.Object(cursorProperties, closed);

export const ReplayItem = Type.Object({
  _id: Id,
  endpointId: Id,
  from: Instant,
  to: Instant,
  status: nullable(DeliveryStatus),
  replayed: Type.Integer({ description: 'Deliveries made due again so far; the rest follows, paced.' }),
  reachedAt: Type.String({
    format: 'date-time',
    description: 'What was made before this instant has been looked at; it goes from `from` to `to`.',
  }),
  finished: Type.Boolean(),
  createdAt: Instant,
  finishedAt: nullable(Instant),
});
export type ReplayItem = Static<typeof ReplayItem>;

export const TestResult = Type.Object({
  deliveryId: Id,
  delivered: Type.Boolean(),
  statusCode: nullable(Type.Integer()),
  failure: nullable(AttemptFailure),
  durationMs: Type.Integer(),
  answer: Answer,
  detail: Detail,
});
