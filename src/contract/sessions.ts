// Sessions and dashboard links on the wire.
import { Type } from 'typebox';
import { filled, Id, instant, nullable, scopes } from './envelope.ts';

const id = '019a0b5e-7c00-7000-8000-000000000000';
const sessionScopes = Type.Array(Type.String(), {
  description:
    'What the session may do. `operator`, which no key can have, is for pages about the gateway itself.',
});
const keyOf = nullable(
  Type.Object(
    {
      _id: Id,
      name: nullable(Type.String({ description: 'Its name.' })),
    },
    { description: 'The key with which the session ends; null for a link of the command line.' },
  ),
);

const sessionExample = {
  _id: id,
  name: 'Maria, support',
  key: { _id: id, name: 'CRM' },
  scopes: ['messages:read'],
  address: '203.0.113.7',
  createdAt: '2026-03-10T08:00:00.000Z',
  lastUsedAt: '2026-03-10T14:05:00.000Z',
  endsAt: '2026-03-17T08:00:00.000Z',
  isCurrent: true,
};
export const SessionItem = Type.Object(
  {
    _id: Id,
    name: Type.String({ description: 'Name of the key or link that made it.' }),
    key: keyOf,
    scopes: sessionScopes,
    address: Type.String({ description: 'The address from which somebody signed in.' }),
    createdAt: instant('When somebody signed in.'),
    lastUsedAt: instant('When it was last used, to the minute. It ends 12 hours later.'),
    endsAt: instant('When it ends in any case.'),
    isCurrent: Type.Boolean({ description: 'True for the session of this request.' }),
  },
  { title: 'Session', description: 'Somebody who is signed in.', examples: [sessionExample] },
);

export const CurrentCaller = Type.Object(
  {
    account: Type.Object(
      { _id: Id, name: Type.String({ description: 'Its name.' }) },
      { description: 'The account.' },
    ),
    scopes: Type.Array(Type.String(), {
      description: 'What this request may do, with the scopes that `manage` includes.',
    }),
    key: keyOf,
    session: nullable(SessionItem),
  },
  {
    title: 'CurrentCaller',
    description: 'Who makes this request; `session` is null with an API key.',
    examples: [
      {
        account: { _id: id, name: 'Example' },
        scopes: ['messages:read'],
        key: { _id: id, name: 'CRM' },
        session: sessionExample,
      },
    ],
  },
);

export const SignInBody = Type.Object(
  {
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'An API key.' })),
    link: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'The text after `#link=` in a dashboard link.',
      }),
    ),
  },
  {
    title: 'SignIn',
    description: 'Exactly one of `key` and `link`.',
    additionalProperties: false,
    minProperties: 1,
    examples: [{ link: 'pXq3m0cRkF2vT9yZbL7wQdNf4sHjG8aE1uKxVtYiOo0' }],
  },
);

export const LinkToken = Type.Object(
  {
    link: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'The text after `#link=` in a dashboard link.',
    }),
  },
  {
    title: 'LinkToken',
    description: 'A dashboard link.',
    additionalProperties: false,
    examples: [{ link: 'pXq3m0cRkF2vT9yZbL7wQdNf4sHjG8aE1uKxVtYiOo0' }],
  },
);

export const OfferedLinkItem = Type.Object(
  {
    account: Type.Object(
      { name: Type.String({ description: 'Its name.' }) },
      { description: 'The account that the link opens.' },
    ),
    name: Type.String({ description: 'Name of the link; its session has it too.' }),
    scopes: Type.Array(Type.String(), { description: 'What its session may do.' }),
    madeBy: nullable(
      Type.String({ description: 'Name of the key of its maker; null for a link of the command line.' }),
    ),
    expiresAt: instant('When the link expires, if nobody uses it.'),
  },
  {
    title: 'OfferedLink',
    description: 'What a dashboard link gives.',
    examples: [
      {
        account: { name: 'Example' },
        name: 'Maria, support',
        scopes: ['messages:read'],
        madeBy: 'CRM',
        expiresAt: '2026-03-10T14:10:00.000Z',
      },
    ],
  },
);

export const EndedSession = Type.Object(
  { _id: Id },
  { title: 'EndedSession', description: 'The session that ended.' },
);

const linkExample = {
  _id: id,
  name: 'Maria, support',
  scopes: ['messages:read'],
  createdAt: '2026-03-10T14:00:00.000Z',
  expiresAt: '2026-03-10T14:10:00.000Z',
};
export const DashboardLink = Type.Object(
  {
    _id: Id,
    name: Type.String({ description: 'Name that you gave the link; its session has it too.' }),
    scopes: Type.Array(Type.String(), { description: 'What its session may do.' }),
    createdAt: instant('When the link was created.'),
    expiresAt: instant('When the link expires, if nobody uses it.'),
  },
  { title: 'DashboardLink', description: 'A link that nobody has used yet.', examples: [linkExample] },
);

export const NewDashboardLink = Type.Object(
  {
    ...DashboardLink.properties,
    url: Type.String({ description: 'The link. Shown only once; valid once.' }),
  },
  {
    title: 'NewDashboardLink',
    description: 'A link with its secret.',
    examples: [
      {
        ...linkExample,
        url: 'https://gateway.example.com/#link=pXq3m0cRkF2vT9yZbL7wQdNf4sHjG8aE1uKxVtYiOo0',
      },
    ],
  },
);

export const CreateLinkBody = Type.Object(
  {
    name: Type.Optional(filled(100, 'Who the link is for. Default: the caller’s name.')),
    scopes: Type.Optional(
      Type.Array(Type.Enum([...scopes], { type: 'string' }), {
        minItems: 1,
        maxItems: scopes.length,
        uniqueItems: true,
        description: 'What its session may do: scopes that the caller also has. Default: all of them.',
        examples: [['messages:read']],
      }),
    ),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 86_400,
        default: 600,
        description: 'How long the link is valid, in seconds.',
      }),
    ),
  },
  {
    title: 'CreateDashboardLink',
    description: 'A new link.',
    additionalProperties: false,
    examples: [{ name: 'Maria, support', scopes: ['messages:read'] }],
  },
);
