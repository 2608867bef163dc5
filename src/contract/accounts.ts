// API keys on the wire.
import { Type } from 'typebox';
import { Id, Instant, nullable, scopes } from './envelope.ts';

const ScopeList = Type.Array(Type.Enum([...scopes], { type: 'string' }), {
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  description: 'What the key may do: scopes that the key of the request has too.',
  examples: [['templates:read', 'messages:send']],
});

export const KeyItem = Type.Object({
  _id: Id,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  hint: Type.String({ description: 'The last four characters of the key.' }),
  createdAt: Instant,
  expiresAt: nullable(Instant),
  lastUsedAt: nullable(Instant),
});

/** A key at its creation or rotation: the one time that it is shown. */
export const ShownKey = Type.Object({
  ...KeyItem.properties,
  apiKey: Type.String({ description: 'Shown this once: store it now.' }),
});

export const CreateKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    scopes: ScopeList,
    expiresAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'If absent, the key expires with the key of the request; it does not expire if that one does not.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ name: 'CRM', scopes: ['templates:read', 'messages:send'] }] },
);

export const RotateKeyBody = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        default: 86_400,
        description: 'How long the old key still works.',
      }),
    ),
  },
  { additionalProperties: false },
);
