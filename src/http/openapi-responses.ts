// Responses of the OpenAPI document: the failures of every operation, with codes, headers and examples. Pure.
import { type ErrorCode, errorCodes } from '../contract/error-codes.ts';
import type { Json } from './openapi-schemas.ts';

const descriptions: Record<number, string> = {
  400: 'The request is invalid. `errors` lists up to 100 problems.',
  401: 'The API key is missing or invalid.',
  403: 'The API key lacks the scope.',
  404: 'Not found in this account.',
  405: 'The path exists, but not with this method. `Allow` lists the methods.',
  408: 'The request did not arrive in time.',
  409: 'Conflict: the current state does not allow this; see `code`.',
  413: 'The body or file is too large.',
  415: 'The Content-Type or the type of the file is not supported, or the body is compressed.',
  422: 'The Idempotency-Key was used before with another body.',
  429: 'Too many requests or too many queued messages. Retry after `Retry-After`.',
  431: 'The headers are too large.',
  500: 'Internal error. It was logged under `requestId`.',
  502: 'The messaging platform or calendar rejected the request. `provider` has its error.',
  503: 'The messaging platform, calendar, object store or database is unavailable. Retry after `Retry-After`.',
  507: 'The disk of the database server is full. Nothing was changed.',
};

const retryable = new Set([401, 409, 429, 502, 503, 507]);

const header = (description: string, schema: Json, example: unknown) => ({
  description,
  schema: { ...schema, examples: [example] },
});

/** Shared response headers, by name. */
export const headerComponents: Record<string, Json> = {
  'X-Request-Id': header(
    'Id of the request: yours if you sent one, else a UUIDv7.',
    { type: 'string' },
    '019a0b5e-7c00-7000-8000-000000000000',
  ),
  RateLimit: header(
    'Requests left and seconds until the limit resets (draft-ietf-httpapi-ratelimit-headers). Absent without a rate limit.',
    { type: 'string' },
    '"default";r=599;t=60',
  ),
  'RateLimit-Policy': header(
    'Requests per window in seconds. Absent without a rate limit.',
    { type: 'string' },
    '"default";q=600;w=60',
  ),
  'Retry-After': header(
    'Seconds after which to retry, if a retry makes sense.',
    { type: 'integer', minimum: 1 },
    5,
  ),
  'Idempotency-Replayed': header(
    '`true` if this is the stored response of an earlier request with the same Idempotency-Key.',
    { type: 'string', enum: ['true'] },
    'true',
  ),
  'Preference-Applied': header(
    '`respond-async` if the request asked for it.',
    { type: 'string', enum: ['respond-async'] },
    'respond-async',
  ),
  Allow: header('The methods of this path.', { type: 'string' }, 'GET, HEAD, POST'),
  'Content-Disposition': header(
    'Always an attachment, with the name of the file.',
    { type: 'string' },
    'attachment; filename="offer.pdf"',
  ),
};

/** References to shared headers. */
const headersOf = (...names: string[]): Json =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

const rateHeaders = ['RateLimit', 'RateLimit-Policy'];

/** The headers of a successful response. */
export const successHeaders = (...more: string[]): Json => headersOf(...rateHeaders, ...more);

export interface OperationTraits {
  method: string;
  hasPathParameter: boolean;
  idempotency?: 'required' | 'optional' | undefined;
  /** The operation authenticates by itself. */
  isPublic: boolean;
  /** The operation's own error codes. */
  errors: readonly ErrorCode[];
}

/** The error codes of an operation, by HTTP status. */
export function codesByStatus(traits: OperationTraits): Map<number, ErrorCode[]> {
  const codes = new Set<ErrorCode>([...commonCodes(traits), ...traits.errors]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status: number = errorCodes[code][0];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

const callerCodes = [
  'api_key_missing',
  'api_key_invalid',
  'session_invalid',
  'forbidden',
  'host_mismatch',
] as const;

function commonCodes({ method, hasPathParameter, idempotency, isPublic }: OperationTraits): ErrorCode[] {
  const isRead = method === 'GET';
  return [
    'invalid_request',
    ...(isRead ? [] : (['malformed_json'] as const)),
    ...(idempotency === 'required' ? (['idempotency_key_missing'] as const) : []),
    ...(idempotency ? (['idempotency_key_invalid'] as const) : []),
    ...(isPublic ? [] : callerCodes),
    ...(isRead || isPublic ? [] : (['origin_mismatch'] as const)),
    ...(hasPathParameter ? (['not_found'] as const) : []),
    'method_not_allowed',
    'request_timeout',
    'conflict',
    ...(idempotency ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
    ...(isRead ? [] : (['body_too_large', 'unsupported_media_type'] as const)),
    'rate_limited',
    'headers_too_large',
    'internal',
    'database_unavailable',
    ...(isRead ? (['query_too_slow'] as const) : []),
    'storage_full',
  ];
}

/** The failure response of one status with these codes. */
export function failureResponse(status: number, codes: readonly ErrorCode[]): Json {
  const more: Json = {
    ...(codes.includes('slot_unavailable') ? { alternatives } : {}),
    ...(codes.includes('template_not_editable') ? { editableAt } : {}),
    ...(codes.includes('window_closed') ? { closedAt } : {}),
    ...(codes.includes('booking_open') ? { bookingIds } : {}),
    ...(status === 405 ? { allow } : {}),
  };
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Failure' },
      {
        type: 'object',
        required: ['code'],
        properties: {
          code: { type: 'string', enum: codes, description: 'Stable error code.' },
          ...more,
        },
      },
    ],
  };
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: descriptions[status] ?? 'Failure.',
    headers: headersOf(
      ...(retryable.has(status) ? ['Retry-After'] : []),
      ...(status === 429 ? rateHeaders : []),
      ...(status === 405 ? ['Allow'] : []),
    ),
    content: { 'application/json': { schema, examples } },
  };
}

const alternatives = {
  type: 'array',
  description: 'With `slot_unavailable`: up to 3 nearest open slots of the date.',
  items: { $ref: '#/components/schemas/Slot' },
};
const editableAt = {
  type: ['string', 'null'],
  format: 'date-time',
  description:
    'With `template_not_editable`: when the template can be edited again; null if no time is known.',
};
const bookingIds = {
  type: 'array',
  items: { type: 'string' },
  description: 'For `booking_open`: the open bookings.',
};

const closedAt = {
  type: ['string', 'null'],
  format: 'date-time',
  description: 'With `window_closed`: when the reply window closed; null if the person never wrote.',
};
const allow = {
  type: 'array',
  description: 'The methods of this path.',
  items: { type: 'string' },
};

function failureExample(code: ErrorCode): Json {
  const [status, message] = errorCodes[code];
  return {
    success: false,
    message,
    code,
    requestId: '019a0b5e-7c00-7000-8000-000000000000',
    ...(code === 'invalid_request'
      ? { errors: [{ path: 'recipients[0].phone', message: 'this field is required' }] }
      : {}),
    ...(status === 405 ? { allow: ['GET', 'HEAD', 'POST'] } : {}),
    ...(code === 'slot_unavailable' ? { alternatives: [] } : {}),
    ...(code === 'template_not_editable' ? { editableAt: '2026-03-11T14:00:00.000Z' } : {}),
    ...(code === 'booking_open' ? { bookingIds: ['019a0b5e-7c00-7000-8000-000000000003'] } : {}),
    ...(code === 'window_closed' ? { closedAt: '2026-03-11T14:00:00.000Z' } : {}),
    ...(code === 'provider_rejected'
      ? { provider: { code: 100, title: 'OAuthException', message: 'Invalid parameter' } }
      : {}),
  };
}

/** Codes of routes that are not operations: callbacks and health. */
const otherCodes = new Set(['signature_invalid', 'too_many_callbacks', 'not_ready']);

/** One example for each code. */
export const exampleComponents: Json = Object.fromEntries(
  Object.keys(errorCodes)
    .filter((code) => !otherCodes.has(code))
    .map((code) => [code, { summary: code.replaceAll('_', ' '), value: failureExample(code as ErrorCode) }]),
);
