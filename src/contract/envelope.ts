// The shapes every answer shares: success, failure, paging, and the small formats used everywhere.
import { type TSchema, Type } from 'typebox';

/** The success body: `{success: true, message, data}`. */
export const success = <T extends TSchema>(data: T) =>
  Type.Object({ success: Type.Literal(true), message: Type.String(), data });

export const Problem = Type.Object({
  path: Type.String({ description: 'Where the fault lies, such as `recipients[3].variables.2`.' }),
  message: Type.String({ description: 'What to mend.' }),
});

export const ProviderError = Type.Object({
  code: Type.Union([Type.Number(), Type.String()]),
  title: Type.String(),
  message: Type.String(),
});

/** The failure body: `{success: false, message}` with a stable `code`, the request's id, and every fault found. */
export const Failure = Type.Object(
  {
    success: Type.Literal(false),
    message: Type.String({ description: 'What happened and what to do about it.' }),
    code: Type.String({ description: 'Stable, snake_case.' }),
    requestId: Type.String(),
    errors: Type.Optional(Type.Array(Problem, { maxItems: 100, description: 'At most one entry per path.' })),
    errorsTruncated: Type.Optional(
      Type.Boolean({ description: 'True if there are more problems than `errors` lists.' }),
    ),
    provider: Type.Optional(ProviderError),
  },
  {
    $id: 'Failure',
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
export const Instant = Type.String({
  description: 'RFC 3339 instant in UTC.',
  examples: ['2026-03-10T14:00:00.000Z'],
});
export const Id = Type.String({ description: 'UUIDv7.', examples: ['019a0b5e-7c00-7000-8000-000000000000'] });

export const pageProperties = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
};

export const cursorProperties = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'The `nextCursor` of the page before; absent for the first page.',
    }),
  ),
};

/** `data` of a list that is counted: `{items, pagination {page, limit, total, totalPages}}`. */
export const page = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    pagination: Type.Object({
      page: Type.Integer(),
      limit: Type.Integer(),
      total: Type.Integer(),
      totalPages: Type.Integer(),
    }),
  });

/** `data` of a list that grows without end: `{items, pagination {limit, nextCursor}}`. */
export const cursorPage = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    pagination: Type.Object({ limit: Type.Integer(), nextCursor: Type.Union([Type.String(), Type.Null()]) }),
  });

/** The scopes that a key may carry (`api.md` part 1). */
export const scopes = [
  'templates:read',
  'messages:send',
  'messages:read',
  'media:write',
  'appointments:read',
  'appointments:book',
  'manage',
] as const;
export type Scope = (typeof scopes)[number];

/** An optional value that may be null on the wire. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
