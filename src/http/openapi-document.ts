// Completion of the OpenAPI document: the operations' texts, shared schemas, all responses, and an example of each body. Pure.
import { Failure } from '../contract/envelope.ts';
import { type ErrorCode, errorCodes } from '../contract/error-codes.ts';
import type { Operation } from '../contract/operation.ts';
import { operations, tags } from '../contract/operations.ts';
import {
  codesByStatus,
  exampleComponents,
  failureResponse,
  headerComponents,
  successHeaders,
} from './openapi-responses.ts';
import { exampleOf, type Json, openComponents } from './openapi-schemas.ts';
import { openapiWebhooks } from './openapi-webhooks.ts';

/** Settings of a route that its operation's description depends on. */
export interface RouteTraits {
  scope: string;
  idempotency?: 'required' | 'optional' | undefined;
}

interface RawOperation {
  parameters?: Json[];
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }>; required?: boolean };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

type Components = ReturnType<typeof openComponents>;

/**
 * Completes the document generated from the routes' schemas. The keys of `traits` are method and path, such as
 * `GET /v1/keys/{id}`. Throws if an operation has no entry in `contract/operations.ts`.
 */
export function completeDocument(raw: Json, traits: ReadonlyMap<string, RouteTraits>): Json {
  const components = openComponents();
  // an operation adds members; if the schema said that others are allowed, generated types would hide them
  components.shared(plain({ ...Failure, additionalProperties: undefined }));
  const rawPaths = raw.paths as Record<string, Record<string, RawOperation>>;
  const known = new Map(
    Object.entries(rawPaths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, one]) => [`${method.toUpperCase()} ${path}`, one] as [string, RawOperation],
      ),
    ),
  );
  for (const name of known.keys())
    if (!operations[name]) throw new Error(`${name} is not in contract/operations`);
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const one = known.get(name);
    const trait = traits.get(name);
    if (!one || !trait) continue;
    const [method = '', path = ''] = name.split(' ');
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: completeOperation({ name, operation, trait, raw: one, components }),
    };
  }
  const webhooks = openapiWebhooks(components);
  return {
    ...raw,
    tags,
    paths,
    webhooks,
    components: {
      securitySchemes: (raw.components as Json).securitySchemes,
      schemas: sorted(components.schemas),
      responses: sharedResponses,
      headers: headerComponents,
      examples: exampleComponents,
    },
  };
}

const plain = (schema: unknown): Json => JSON.parse(JSON.stringify(schema));
const sorted = (record: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

interface Making {
  name: string;
  operation: Operation;
  trait: RouteTraits;
  raw: RawOperation;
  components: Components;
}

function completeOperation(making: Making): Json {
  const { operation, trait, raw, components } = making;
  const { id, tag, summary, description } = operation;
  const scope = scopeTexts[trait.scope] ?? `Scope: \`${trait.scope}\`.`;
  const parameters = parametersOf(making);
  const body = raw.requestBody && requestBody(raw.requestBody, components, making.name.startsWith('PUT '));
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description ? `${description}\n\n${scope}` : scope,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    ...(trait.scope === 'none' ? { security: [] } : {}),
    responses: responsesOf(making),
  };
}

const scopeTexts: Record<string, string> = {
  any: 'Scope: any.',
  operator: 'Scope: `operator`, which only sessions of `dashboard-link --operator` have.',
  none: 'Without an API key or a session.',
};

/** The object of an id in a path, by the segment before it. */
const namedBy: Record<string, string> = {
  keys: 'key (`_id`)',
  templates: 'template (`_id`)',
  sends: 'send (`sendId`)',
  messages: 'message (`id`)',
  media: 'file (`mediaId`)',
  senders: 'sender (`_id`)',
  departments: 'department (`_id`)',
  users: 'staff member (`_id`)',
  bookings: 'booking (`_id`)',
  endpoints: 'webhook endpoint (`_id`)',
  sessions: 'session (`_id`)',
  'dashboard-links': 'link (`_id`)',
  deliveries: 'webhook delivery (`_id`)',
};

function parametersOf({ name, trait, raw, components }: Making): Json[] {
  const segments = name.split('/');
  const listed = (raw.parameters ?? []).map((parameter) => {
    const schema = components.shared(parameter.schema as Json);
    const before = segments[segments.indexOf(`{${String(parameter.name)}}`) - 1] ?? '';
    const description =
      parameter.in === 'path' ? `Id of the ${namedBy[before] ?? before}.` : (parameter.description ?? '');
    const { name: parameterName, in: place, required } = parameter;
    const example =
      place === 'path' && before !== 'media' ? { examples: ['019a0b5e-7c00-7000-8000-000000000000'] } : {};
    return {
      name: parameterName,
      in: place,
      required: required === true,
      description,
      schema: { ...schema, ...example },
    };
  });
  if (trait.idempotency) listed.push(idempotencyKey(trait.idempotency === 'required'));
  if (name === 'POST /v1/templates/send') listed.push(prefer);
  if (name === 'GET /v1/events/stream') listed.push(lastEventId);
  return listed;
}

const idempotencyKey = (required: boolean) => ({
  name: 'Idempotency-Key',
  in: 'header',
  required,
  description:
    'A UUID, new for each request and the same for its repetitions. A repetition within 24 hours returns the stored response.',
  schema: { type: 'string', format: 'uuid', examples: ['5b1f6a0e-3c62-4f0e-9a53-7d4f0f0f5c11'] },
});
const prefer = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`respond-async` (RFC 7240): respond with 202 immediately.',
  schema: { type: 'string', examples: ['respond-async'] },
};

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last event that was received: the stream continues from there.',
  schema: { type: 'string', examples: ['2026-03-10T14:00:01.114Z'] },
};

function requestBody(
  raw: NonNullable<RawOperation['requestBody']>,
  components: Components,
  isPut: boolean,
): Json {
  const isOptional =
    !isPut && Object.values(raw.content).some(({ schema }) => isNullable(schema) || isEmptyBody(schema));
  const content = Object.fromEntries(
    Object.entries(raw.content).map(([type, { schema: given, example: moved }]) => {
      const body = withoutNull(given);
      // the generator moves a schema's example out of the schema
      const schema = components.shared(moved === undefined ? body : { ...body, examples: [moved] });
      if (type !== 'application/json') return [type, { schema }];
      return [type, { schema, example: exampleOf(schema, components.schemas) }];
    }),
  );
  return { required: !isOptional, content };
}

/** A missing body is treated as an empty object, except in a PUT. */
const isEmptyBody = ({ type, required, minProperties }: Json): boolean =>
  type === 'object' && required === undefined && minProperties === undefined;
const isNullable = (schema: Json): boolean =>
  Array.isArray(schema.anyOf) && schema.anyOf.some((one: Json) => one.type === 'null');
/** An omitted optional body is validated as null. */
const withoutNull = (schema: Json): Json =>
  isNullable(schema) ? ((schema.anyOf as Json[]).find((one) => one.type !== 'null') ?? schema) : schema;

/** The declared type of a file that has a type of its own. */
const anyFile = 'application/octet-stream';

function responsesOf({ name, operation, trait, raw, components }: Making): Json {
  const responses: Json = {};
  for (const [status, { content = {} }] of Object.entries(raw.responses)) {
    if (!status.startsWith('2')) continue;
    const more = [
      ...(trait.idempotency ? ['Idempotency-Replayed'] : []),
      ...(status === '202' ? ['Preference-Applied'] : []),
      ...(anyFile in content || 'text/csv' in content ? ['Content-Disposition'] : []),
    ];
    responses[status] = {
      description:
        status === '202' ? 'Accepted: every message is `queued`.' : `Success: ${operation.summary}.`,
      headers: successHeaders(...more),
      content: successContent(content, { status, message: operation.message, components }),
    };
  }
  const [method = ''] = name.split(' ');
  const codes = codesByStatus({
    method,
    hasPathParameter: name.includes('{'),
    idempotency: trait.idempotency,
    isPublic: trait.scope === 'none',
    errors: operation.errors ?? [],
  });
  for (const [status, ofStatus] of codes) {
    const shared = Object.entries(sharedCodes).find(([, list]) => list.join() === ofStatus.join())?.[0];
    responses[status] = shared
      ? { $ref: `#/components/responses/${shared}` }
      : failureResponse(status, ofStatus);
  }
  return responses;
}

function successContent(
  content: Record<string, { schema: Json }>,
  { status, message, components }: { status: string; message: string; components: Components },
): Json {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema: given }]) => {
      const schema = components.shared(given);
      if (type !== 'application/json') return [type === anyFile ? '*/*' : type, { schema }];
      const example = exampleOf(schema, components.schemas) as Json;
      return [
        type,
        { schema, example: { ...example, message, ...(status === '202' ? queued(example) : {}) } },
      ];
    }),
  );
}

/** The example of a 202: the messages are still queued. */
function queued({ data }: Json): Json {
  const { messages, ...rest } = data as { messages: Json[] };
  const waiting = messages.map((one) => ({ ...one, messageId: null, status: 'queued' }));
  return { data: { ...rest, accepted: 0, queued: waiting.length, messages: waiting } };
}

/** Failures shared by many operations, by the name of the shared response. */
const sharedCodes: Record<string, ErrorCode[]> = {
  InvalidRequest: ['invalid_request'],
  InvalidBody: ['invalid_request', 'malformed_json'],
  Unauthorized: ['api_key_missing', 'api_key_invalid', 'session_invalid'],
  Forbidden: ['forbidden'],
  ForbiddenChange: ['forbidden', 'origin_mismatch'],
  Misdirected: ['host_mismatch'],
  MethodNotAllowed: ['method_not_allowed'],
  RequestTimeout: ['request_timeout'],
  Conflict: ['conflict'],
  BodyTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  IdempotencyKeyReused: ['idempotency_key_reused'],
  RateLimited: ['rate_limited'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal'],
  ProviderRejected: ['provider_rejected'],
  DatabaseUnavailable: ['database_unavailable'],
  ReadUnavailable: ['database_unavailable', 'query_too_slow'],
  StorageFull: ['storage_full'],
};
const sharedResponses = Object.fromEntries(
  Object.entries(sharedCodes).map(([name, codes]) => {
    const [first = 'internal'] = codes;
    return [name, failureResponse(errorCodes[first][0], codes)];
  }),
);
