// The two forms of an answer, and the one table from error code to HTTP status.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalidRequest, type Problem } from '../base/errors.ts';
import { type ErrorCode, errorCodes } from '../contract/error-codes.ts';
import { isAway, isDiskFull } from '../db/failure.ts';
import { formats } from './formats.ts';

/** The success body. */
export function ok<T>(message: string, data: T): { success: true; message: string; data: T } {
  return { success: true, message, data };
}

/** HTTP status of an AppError's code; a code that the contract does not list is an internal error (500). */
export function httpStatus(code: string): number {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode][0] : 500;
}

/** Fastify's own refusals in our words; undefined for what is not a refusal of the request. */
function frameworkError(error: FastifyError): AppError | undefined {
  if (error.validation) {
    const part = error.validationContext ?? 'body';
    return invalidRequest(problemsOf(error.validation, part));
  }
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new AppError('malformed_json', 'The body is not valid JSON. Send one JSON object in UTF-8.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError(
        'unsupported_media_type',
        'This Content-Type is not taken here. See the API reference.',
      );
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('body_too_large', 'The body is larger than this operation takes.');
    default: {
      const status = error.statusCode ?? 500;
      return status >= 400 && status < 500 ? new AppError('invalid_request', error.message) : undefined;
    }
  }
}

interface SchemaIssue {
  keyword: string;
  instancePath: string;
  message?: string;
  params: Record<string, unknown>;
  /** What was given in that place. */
  data?: unknown;
  /** What stands in the contract for that place. */
  parentSchema?: { examples?: unknown[] };
}

/** `/recipients/3/phone` → `recipients[3].phone` */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '');
}

function validationError(issue: unknown, part: string): Problem {
  const { keyword, instancePath, message, params, data, parentSchema } = issue as SchemaIssue;
  const at = dotted(instancePath);
  const member = (name: unknown) => (at ? `${at}.${String(name)}` : String(name));
  const where = part === 'querystring' ? 'query parameter' : part === 'params' ? 'path parameter' : 'field';
  if (keyword === 'required')
    return { path: member(params.missingProperty), message: `this ${where} is required` };
  if (keyword === 'additionalProperties') {
    return {
      path: member(params.additionalProperty),
      message: `there is no such ${where}; check its spelling`,
    };
  }
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    return { path: at, message: `must be one of ${params.allowedValues.join(', ')}` };
  }
  if (keyword === 'pattern') {
    const [example] = parentSchema?.examples ?? [];
    if (params.pattern === '\\S') return { path: at, message: 'must not be blank' };
    const like = `must be written like ${JSON.stringify(example)}`;
    if (example !== undefined) return { path: at || part, message: like };
  }
  if (keyword === 'format') {
    const problem = formats[String(params.format)]?.(String(data));
    if (problem !== undefined) return { path: at || part, message: problem };
  }
  // of several types the first is the one that is meant
  if (keyword === 'type' && Array.isArray(params.type))
    return { path: at || part, message: `must be ${String(params.type[0])}` };
  if (keyword === 'const') return { path: at, message: `must be ${JSON.stringify(params.allowedValue)}` };
  return { path: at || part, message: message ?? 'is invalid' };
}

/** The faults of a request part, made one by one: whoever lists them stops when it has enough. */
function* problemsOf(issues: readonly unknown[], part: string): Generator<Problem> {
  for (const issue of issues) yield validationError(issue, part);
}

/** Somebody has to make room: asking more often does not help. */
const storageFullSeconds = 30;

/** A statement that ran into its time limit: a list whose filter meets few of very many rows, or a server that is too busy. */
function tooSlow(error: unknown, { method }: FastifyRequest): AppError | undefined {
  if ((error as { code?: unknown } | null)?.code !== '57014') return undefined;
  if (method !== 'GET' && method !== 'HEAD') {
    return new AppError(
      'database_unavailable',
      'The database took too long. Repeat the request in a while, with the same Idempotency-Key if it had one.',
      { retryAfterSeconds: 5, cause: error },
    );
  }
  return new AppError(
    'query_too_slow',
    'Finding that took too long. Narrow it, such as by from and to, or by a more particular filter.',
    { retryAfterSeconds: 5, cause: error },
  );
}

/** Codes of PostgreSQL by which a statement lost to others at the same moment: lock_not_available, deadlock, serialization. */
const inTheWay = new Set(['55P03', '40P01', '40001']);

/** A statement that others stood in the way of, however often it was tried: the same request may well succeed. */
function lostToOthers(error: unknown): AppError | undefined {
  if (!inTheWay.has(String((error as { code?: unknown } | null)?.code))) return undefined;
  return new AppError(
    'conflict',
    'Others were changing the same thing at that moment. Try again in a moment.',
    {
      retryAfterSeconds: 1,
      cause: error,
    },
  );
}

/**
 * The database cannot be reached, or cannot write: what was asked may or may not be done, which a repeat under its key
 * finds out.
 */
function databaseAway(error: unknown): AppError | undefined {
  if (isDiskFull(error)) {
    return new AppError(
      'storage_full',
      "The database server's disk is full, so nothing was changed. Free or add space there; then repeat the request, with the same Idempotency-Key if it had one.",
      { retryAfterSeconds: storageFullSeconds, cause: error },
    );
  }
  if (!isAway(error)) return undefined;
  return new AppError(
    'database_unavailable',
    'The database cannot be reached or takes no writes at this moment. Repeat the request in a while, with the same Idempotency-Key if it had one.',
    { retryAfterSeconds: 2, cause: error },
  );
}

/** Turns whatever was thrown into the failure body; an unknown error becomes `internal` and its text is never shown. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known =
    error instanceof AppError
      ? error
      : (tooSlow(error, request) ??
        lostToOthers(error) ??
        databaseAway(error) ??
        frameworkError(error as FastifyError));
  const told =
    known ?? new AppError('internal', 'Something failed on our side. It was logged under this request id.');
  const status = httpStatus(told.code);
  if (status >= 500) request.log.error({ reqId: request.id, err: error, code: told.code }, 'request.failed');
  const { errors, errorsTruncated, provider, retryAfterSeconds, extra } = told.details;
  if (retryAfterSeconds !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        success: false,
        message: told.message,
        code: told.code,
        requestId: request.id,
        ...(errors ? { errors } : {}),
        ...(errorsTruncated ? { errorsTruncated } : {}),
        ...(provider ? { provider } : {}),
        ...extra,
      }),
    );
}
