// Webhook endpoints on the wire, and the kinds of events.
import { type Static, Type } from 'typebox';
import { Id, instant, nullable, pageProperties } from './envelope.ts';

/** Kinds that an endpoint can subscribe to; `test` is sent only by the test operation. */
export const subscribableKinds = [
  'messages.status',
  'replies.status',
  'templates.status',
  'appointments.booked',
  'appointments.cancelled',
  'appointments.rescheduled',
  'calendars.status',
  'senders.status',
  'messages.received',
  'contacts.opted_out',
  'contacts.opted_in',
  'endpoints.status',
  'deliveries.dead',
] as const;
export type SubscribableKind = (typeof subscribableKinds)[number];
export type EventKind = SubscribableKind | 'test';

/** Kinds about the gateway's own work. No dead delivery of such an event is announced by another. */
export const operationalKinds = [
  'senders.status',
  'calendars.status',
  'endpoints.status',
  'deliveries.dead',
] as const satisfies readonly SubscribableKind[];

const closed = { additionalProperties: false } as const;

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Where events are posted. It must be https (the sandbox also allows http). Private, loopback, link-local and metadata addresses are rejected.',
  examples: ['https://example.com/webhooks'],
});
const Description = Type.String({ maxLength: 500, description: 'Description, for people.' });
const Events = Type.Array(Type.Enum([...subscribableKinds], { type: 'string' }), {
  minItems: 1,
  maxItems: subscribableKinds.length,
  uniqueItems: true,
  description: 'The kinds of event that the endpoint receives. Default: `messages.status`.',
});
const Secret = Type.String({
  minLength: 16,
  maxLength: 256,
  description:
    'Your own secret: 16 to 256 printable ASCII characters. Libraries of Standard Webhooks take one without `whsec_` as a raw secret only. Default: a generated one.',
});

const endpointFields = {
  _id: Id,
  url: Type.String({ description: 'Where events are posted.' }),
  description: nullable(Type.String({ description: 'Description, for people.' })),
  events: Type.Array(Type.String(), { description: 'The kinds of event that the endpoint receives.' }),
  status: Type.Enum(['active', 'paused', 'disabled'], {
    description: '`paused`: events are kept. `disabled`: the gateway gave up; deliveries become dead.',
  }),
  disabledReason: nullable(Type.String({ description: 'Why the endpoint is disabled.' })),
  failingSince: nullable(instant('Since when no delivery has succeeded.')),
  restingUntil: nullable(
    instant(
      'The gateway delivers nothing before this instant, after failures or because the receiver requested it with Retry-After. `PATCH` with `status: active`, or a successful test event, clears it.',
    ),
  ),
  waiting: Type.Integer({
    description:
      'Deliveries that wait in the database: due, to be retried, or behind an earlier stage. At most 10,000 are counted.',
  }),
  rotation: nullable(
    Type.Object(
      {
        overlapUntil: instant('Until when both secrets are valid.'),
        activated: Type.Boolean({ description: 'Whether x-webhook-signature is made with the new secret.' }),
      },
      { title: 'SecretRotation', description: 'Present during a secret rotation.' },
    ),
  ),
  createdAt: instant('When the endpoint was created.'),
};
export const endpointExample = {
  _id: '019a0b5e-7c00-7000-8000-000000000007',
  url: 'https://example.com/webhooks',
  description: null,
  events: ['messages.status'],
  status: 'active',
  disabledReason: null,
  failingSince: null,
  restingUntil: null,
  waiting: 0,
  rotation: null,
  createdAt: '2026-03-10T14:00:00.000Z',
};
export const EndpointItem = Type.Object(endpointFields, {
  title: 'Endpoint',
  description: 'A webhook endpoint.',
  examples: [endpointExample],
});
export type EndpointItem = Static<typeof EndpointItem>;

/** An endpoint at its creation or rotation: the only time that its secret is shown. */
export const EndpointItemWithSecret = Type.Object(
  {
    ...endpointFields,
    secret: Type.String({ description: 'The secret. Shown only once; store it now.' }),
  },
  {
    title: 'NewEndpoint',
    description: 'A webhook endpoint with its secret.',
    examples: [{ ...endpointExample, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' }],
  },
);

/** The data of `endpoints.status` events. */
export const EndpointChange = Type.Object(
  {
    endpoint: EndpointItem,
    changed: Type.Array(
      Type.Object(
        {
          name: Type.Literal('status', { description: 'What changed.' }),
          from: Type.String({ description: 'The previous status.' }),
          to: Type.String({ description: 'The new status.' }),
        },
        { description: 'One change.' },
      ),
      { description: 'What changed.' },
    ),
  },
  {
    title: 'EndpointChange',
    description: 'An endpoint and what changed. Sent to the other endpoints of the account.',
    examples: [
      {
        endpoint: {
          ...endpointExample,
          status: 'disabled',
          disabledReason: 'gone: the receiver answered 410',
        },
        changed: [{ name: 'status', from: 'active', to: 'disabled' }],
      },
    ],
  },
);

/** The data of `deliveries.dead` events. */
export const DeadDeliveries = Type.Object(
  {
    endpointId: Type.String({ ...Id, description: 'The endpoint that did not get them.' }),
    count: Type.Integer({ description: 'How many deliveries became dead.' }),
    from: instant('When the first of them became dead.'),
    to: instant('When the last of them became dead.'),
    reasons: Type.Record(Type.String(), Type.Integer(), {
      description: 'How many for each reason: the `lastFailure` of the deliveries.',
    }),
  },
  {
    title: 'DeadDeliveries',
    description:
      'Deliveries of an endpoint became dead. Sent to the other endpoints of the account, at most once a minute for each endpoint; never about deliveries of operational events.',
    examples: [
      {
        endpointId: '019a0b5e-7c00-7000-8000-000000000007',
        count: 12,
        from: '2026-03-10T14:00:00.000Z',
        to: '2026-03-10T14:00:48.000Z',
        reasons: { endpoint_disabled: 12 },
      },
    ],
  },
);

export const EndpointListQuery = Type.Object(pageProperties, closed);
export const IdParams = Type.Object({ id: Type.String() }, closed);

export const CreateEndpointBody = Type.Object(
  {
    url: Url,
    description: Type.Optional(Description),
    events: Type.Optional(Events),
    secret: Type.Optional(Secret),
  },
  {
    ...closed,
    title: 'CreateEndpoint',
    description: 'A new webhook endpoint.',
    examples: [{ url: 'https://example.com/webhooks', events: ['messages.status'] }],
  },
);

export const ChangeEndpointBody = Type.Object(
  {
    url: Type.Optional(Url),
    description: Type.Optional(nullable(Description)),
    events: Type.Optional(Events),
    status: Type.Optional(
      Type.Enum(['active', 'paused'], {
        description:
          '`paused`: events are kept. `active`: they are delivered, also after the endpoint was disabled.',
      }),
    ),
  },
  {
    ...closed,
    minProperties: 1,
    title: 'UpdateEndpoint',
    description: 'The fields to change.',
    examples: [{ status: 'paused' }],
  },
);

export const RotateSecretBody = Type.Object(
  {
    secret: Type.Optional(Secret),
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        default: 86_400,
        description: 'How long both secrets sign, in seconds; 0 switches immediately.',
      }),
    ),
  },
  {
    ...closed,
    title: 'RotateSecret',
    description: 'How to rotate the secret.',
    examples: [{ overlapSeconds: 3600 }],
  },
);
