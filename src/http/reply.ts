// The response body of success and failure, and the HTTP status of each error.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalidRequest, type Problem } from '../base/errors.ts';
import { type ErrorCode, errorCodes } from '../contract/error-codes.ts';
import { isDiskFull, isUnavailable } from '../db/failure.ts';
import { databaseTooSlow } from './request-limit.ts';
import { validationProblem } from './validation-problem.ts';

/** The success body. */
export function ok<T>(message: string, data: T): { success: true; message: string; data: T } {
  return { success: true, message, data };
}

/** Sends a body that is JSON already, such as one that was stored with the request's key. */
export function sendBody(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(body);
}

/** Sets the headers of every response. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id);
  reply.header('Cache-Control', 'no-store');
}

/** HTTP status of an AppError's code; a code that the contract does not list is an internal error (500). */
export function httpStatus(code: string): number {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode][0] : 500;
}

/** A rejection by Fastify itself as an AppError; undefined for other errors. */
function frameworkError(error: FastifyError, { routeOptions }: FastifyRequest): AppError | undefined {
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
        `This Content-Type is not supported here. Use ${(routeOptions.schema?.consumes ?? ['application/json']).join(' or ')}.`,
      );
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(routeOptions.bodyLimit);
    default: {
      const status = error.statusCode ?? 500;
      return status >= 400 && status < 500 ? new AppError('invalid_request', error.message) : undefined;
    }
  }
}

/** The 413 for a body of more than `maxBytes`. */
export const bodyTooLarge = (maxBytes: number): AppError =>
  new AppError(
    'body_too_large',
    `The body is larger than ${maxBytes.toLocaleString('en-US')} bytes, the most that this operation accepts. Send less at a time.`,
  );

/** The problems of a request part, lazily: a response lists a limited number of them. */
function* problemsOf(issues: readonly unknown[], part: string): Generator<Problem> {
  for (const issue of issues) yield validationProblem(issue, part);
}

/** Frequent retries do not help until an operator frees space. */
const storageFullSeconds = 30;

/** A statement exceeded its time limit: a filter that matches few of very many rows, or a busy server. */
function tooSlow(error: unknown, { method }: FastifyRequest): AppError | undefined {
  if ((error as { code?: unknown } | null)?.code !== '57014') return undefined;
  if (method !== 'GET' && method !== 'HEAD') return databaseTooSlow(error);
  return new AppError(
    'query_too_slow',
    'The query took too long. Narrow it with from and to, or with a more specific filter.',
    { retryAfterSeconds: 5, cause: error },
  );
}

/** PostgreSQL's codes of conflicts with other transactions: lock_not_available, deadlock, serialization. */
const conflictCodes = new Set(['55P03', '40P01', '40001']);

/** A conflict with concurrent transactions that outlasted the retries; a later request may succeed. */
function concurrencyConflict(error: unknown): AppError | undefined {
  if (!conflictCodes.has(String((error as { code?: unknown } | null)?.code))) return undefined;
  return new AppError(
    'conflict',
    'Another request changed the same object at the same time. Retry the request.',
    {
      retryAfterSeconds: 1,
      cause: error,
    },
  );
}

/** The database is unreachable or read-only. The request may have been executed; a retry with its key finds out. */
function databaseUnavailable(error: unknown): AppError | undefined {
  if (isDiskFull(error)) {
    return new AppError(
      'storage_full',
      "The database server's disk is full, so nothing was changed. Free or add space there, then retry with the same Idempotency-Key if the request had one.",
      { retryAfterSeconds: storageFullSeconds, cause: error },
    );
  }
  if (!isUnavailable(error)) return undefined;
  return new AppError(
    'database_unavailable',
    'The database is unreachable or read-only. Retry later, with the same Idempotency-Key if the request had one.',
    { retryAfterSeconds: 2, cause: error },
  );
}

/**
 * Sets the status and headers of a response for any thrown value, logs a failure of the gateway, and returns what to show. An
 * unknown error becomes `internal`; its text is never shown.
 */
export function beginFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): AppError {
  const known =
    error instanceof AppError
      ? error
      : (tooSlow(error, request) ??
        concurrencyConflict(error) ??
        databaseUnavailable(error) ??
        frameworkError(error as FastifyError, request));
  const shown =
    known ?? new AppError('internal', 'Internal error. The log has its details under this request id.');
  const status = httpStatus(shown.code);
  request.errorCode = shown.code;
  if (status >= 500) request.log.error({ reqId: request.id, err: error, code: shown.code }, 'request.failed');
  const { retryAfterSeconds } = shown.details;
  if (retryAfterSeconds !== undefined)
    reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  reply.code(status);
  return shown;
}

/** Sends any thrown value as a failure body. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { message, code, details } = beginFailure(error, request, reply);
  const { errors, errorsTruncated, provider, extra } = details;
  const body = JSON.stringify({
    success: false,
    message,
    code,
    requestId: request.id,
    ...(errors ? { errors } : {}),
    ...(errorsTruncated ? { errorsTruncated } : {}),
    ...(provider ? { provider } : {}),
    ...extra,
  });
  return sendBody(reply, body);
}
