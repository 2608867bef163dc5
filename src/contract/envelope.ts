// Schemas shared by all responses: success, failure, paging, and common formats.
import { type TSchema, Type } from 'typebox';

/** For texts that must not be blank: the pattern for every client, and the format for invisible characters too. */
export const notBlank = { pattern: '\\S', format: 'not-blank' } as const;
/** A text that is not blank. */
export const filled = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, ...notBlank, description });

/** The success body: `{success: true, message, data}`. */
export const success = <T extends TSchema>(data: T) =>
  Type.Object({
    success: Type.Literal(true, { description: 'True for every successful response.' }),
    message: Type.String({ description: 'What was done, for people.' }),
    data,
  });

const Problem = Type.Object(
  {
    path: Type.String({ description: 'The field or parameter, such as `recipients[3].variables.2`.' }),
    message: Type.String({ description: 'What is wrong and what is allowed.' }),
  },
  {
    title: 'Problem',
    description: 'One problem of a request.',
    examples: [{ path: 'recipients[0].phone', message: 'this field is required' }],
  },
);

const ProviderError = Type.Object(
  {
    code: Type.Union([Type.Number(), Type.String()], { description: "The provider's error code." }),
    title: Type.String({ description: 'Short name of the error.' }),
    message: Type.String({ description: "The provider's explanation." }),
  },
  {
    title: 'ProviderError',
    description: 'The error of the messaging platform or calendar.',
    examples: [{ code: 100, title: 'OAuthException', message: 'Invalid parameter' }],
  },
);

/** The failure body: `{success: false, message}` with a stable `code`, the request's id, and the problems found. */
export const Failure = Type.Object(
  {
    success: Type.Literal(false, { description: 'False for every failure.' }),
    message: Type.String({ description: 'What happened and what to do about it.' }),
    code: Type.String({ description: 'Stable error code in snake_case.' }),
    requestId: Type.String({ description: 'The `X-Request-Id` of the response.' }),
    errors: Type.Optional(
      Type.Array(Problem, {
        maxItems: 100,
        description: 'The problems of the request, at most one per path.',
      }),
    ),
    errorsTruncated: Type.Optional(
      Type.Boolean({ description: 'True if there are more problems than `errors` lists.' }),
    ),
    provider: Type.Optional(ProviderError),
  },
  {
    title: 'Failure',
    description: 'The body of every failure.',
    additionalProperties: true,
    examples: [
      {
        success: false,
        message: 'The API key is invalid.',
        code: 'api_key_invalid',
        requestId: '019a0b5e-7c00-7000-8000-000000000000',
      },
    ],
  },
);

/** Instants on the wire: RFC 3339 in UTC with `Z`. */
const Instant = Type.String({
  format: 'date-time',
  description: 'RFC 3339 instant in UTC.',
  examples: ['2026-03-10T14:00:00.000Z'],
});
/** An instant with a description. */
export const instant = (description: string) => Type.String({ ...Instant, format: 'date-time', description });
/** The id of something in a filter. A malformed one gets the same response as an unknown one, so it has no format. */
export const idFilter = (description: string) => Type.Optional(Type.String({ description }));

export const Id = Type.String({ description: 'UUIDv7.', examples: ['019a0b5e-7c00-7000-8000-000000000000'] });

/** What a deletion returns. */
export const Deleted = Type.Object({ _id: Id }, { title: 'Deleted', description: 'What was deleted.' });

export const pageProperties = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Number of the page.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items per page.' }),
  ),
};

export const cursorProperties = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items per page.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'The `nextCursor` of the previous page; omit it for the first page.',
    }),
  ),
};

const Pagination = Type.Object(
  {
    page: Type.Integer({ description: 'Number of this page.' }),
    limit: Type.Integer({ description: 'Items per page.' }),
    total: Type.Integer({ description: 'Items on all pages.' }),
    totalPages: Type.Integer({ description: 'Number of pages.' }),
  },
  {
    title: 'Pagination',
    description: 'Position in a counted list.',
    examples: [{ page: 1, limit: 20, total: 1, totalPages: 1 }],
  },
);
const CursorPagination = Type.Object(
  {
    limit: Type.Integer({ description: 'Items per page.' }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: 'The `cursor` of the next page; null on the last page.',
    }),
  },
  {
    title: 'CursorPagination',
    description: 'Position in a list without a count.',
    examples: [{ limit: 20, nextCursor: null }],
  },
);

/** `data` of a list that is counted: `{items, pagination {page, limit, total, totalPages}}`. */
export const page = <T extends TSchema>(item: T) =>
  Type.Object(
    { items: Type.Array(item, { description: 'The items of this page.' }), pagination: Pagination },
    { description: 'A page of the list.' },
  );

/** `data` of a list that grows without limit: `{items, pagination {limit, nextCursor}}`. */
export const cursorPage = <T extends TSchema>(item: T) =>
  Type.Object(
    { items: Type.Array(item, { description: 'The items of this page.' }), pagination: CursorPagination },
    { description: 'A page of the list.' },
  );

/** The scopes that a key can have. */
export const scopes = [
  'templates:read',
  'messages:send',
  'messages:read',
  'media:write',
  'appointments:read',
  'appointments:book',
  'conversations:read',
  'appointments:manage',
  'webhooks:manage',
  'manage',
] as const;
export type Scope = (typeof scopes)[number];

/** The scope of operators, which no key can have: only links of the command line give it. */
export const operatorScope = 'operator';

/** Scopes that `manage` includes: keys that were created before these scopes keep what they can do. */
const includedInManage: readonly Scope[] = ['conversations:read', 'appointments:manage', 'webhooks:manage'];

/** The scopes of a key with those that they include. */
export const withIncluded = (own: readonly string[]): ReadonlySet<string> =>
  new Set(own.includes('manage') ? [...own, ...includedInManage] : own);

/** An optional value that may be null on the wire. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
