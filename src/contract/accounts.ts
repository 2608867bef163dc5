// API keys on the wire.
import { Type } from 'typebox';
import { filled, Id, instant, nullable, scopes } from './envelope.ts';

const ScopeList = Type.Array(Type.Enum([...scopes], { type: 'string' }), {
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  description: 'What the key may do: scopes that the calling key also has.',
  examples: [['templates:read', 'messages:send']],
});

const keyExample = {
  _id: '019a0b5e-7c00-7000-8000-000000000000',
  name: 'CRM',
  scopes: ['templates:read', 'messages:send'],
  hint: 'x7Qa',
  createdAt: '2026-03-10T14:00:00.000Z',
  expiresAt: null,
  lastUsedAt: '2026-03-10T14:05:00.000Z',
};
export const KeyItem = Type.Object(
  {
    _id: Id,
    name: Type.String({ description: 'Name that you gave the key.' }),
    scopes: Type.Array(Type.String(), { description: 'What the key may do.' }),
    hint: Type.String({ description: 'The last four characters of the key.' }),
    createdAt: instant('When the key was created.'),
    expiresAt: nullable(instant('When the key expires; null: never.')),
    lastUsedAt: nullable(instant('When the key was last used, to the minute; null: never.')),
  },
  { title: 'Key', description: 'An API key without its secret.', examples: [keyExample] },
);

/** A key at its creation or rotation: the only time that it is shown. */
export const KeyWithSecret = Type.Object(
  {
    ...KeyItem.properties,
    apiKey: Type.String({ description: 'The key. Shown only once; store it now.' }),
  },
  {
    title: 'NewKey',
    description: 'An API key with its secret.',
    examples: [{ ...keyExample, lastUsedAt: null, apiKey: 'cgw_Zk4yT0rW8mX2bQ6nV1sD9hJ3gL5pC7fAx7Qa' }],
  },
);

export const CreateKeyBody = Type.Object(
  {
    name: filled(100, 'Name of the key, for people.'),
    scopes: ScopeList,
    expiresAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the key expires. Default: when the calling key expires.',
      }),
    ),
  },
  {
    title: 'CreateKey',
    description: 'A new API key.',
    additionalProperties: false,
    examples: [{ name: 'CRM', scopes: ['templates:read', 'messages:send'] }],
  },
);

export const RotateKeyBody = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        default: 86_400,
        description: 'How long the old key still works, in seconds.',
      }),
    ),
  },
  {
    title: 'RotateKey',
    description: 'How to rotate the key.',
    additionalProperties: false,
    examples: [{ overlapSeconds: 3600 }],
  },
);
