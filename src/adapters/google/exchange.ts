// HTTP exchanges with Google: JSON responses, and failures mapped to the three outcomes of a call.
import { VendorError } from '../../base/errors.ts';
import { OutgoingError } from '../../base/outgoing/error.ts';
import type { Outgoing, OutgoingRequest, OutgoingResponse } from '../../base/outgoing/outgoing.ts';
import { type AttemptLimits, noTimeLeft } from '../../base/retry.ts';
import { retryAfterSecondsOf } from '../../base/retry-after.ts';
import { isObject, type Json, objectsOf, textOf } from './json.ts';

export interface GoogleResponse {
  status: number;
  /** Empty if the body is not a JSON object. */
  json: Json;
  retryAfterSeconds: number | undefined;
}

/** Reasons of a 403 that mean rate limiting (developers.google.com/calendar/api/guides/errors). */
const rateLimitReasons = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'dailyLimitExceeded',
]);

/** Sends one request and returns the response, whatever its status. Throws VendorError if there is none, or a 2xx without JSON. */
export async function exchange(
  outgoing: Pick<Outgoing, 'request'>,
  request: Omit<OutgoingRequest, 'timeoutMs' | 'signal'>,
  { until, signal }: AttemptLimits,
): Promise<GoogleResponse> {
  const timeoutMs = until - performance.now();
  if (timeoutMs <= 0)
    throw new VendorError('not_sent', 'The time limit was reached before the call.', { code: noTimeLeft });
  let response: OutgoingResponse;
  try {
    response = await outgoing.request({ ...request, timeoutMs, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw new VendorError(error.sent ? 'unknown' : 'not_sent', error.message, {
      code: error.kind,
      cause: error,
    });
  }
  const json = parseBody(response);
  if (json === undefined && response.status < 300) {
    throw new VendorError('unknown', 'The response is not valid JSON.', {
      code: 'unreadable_answer',
      status: response.status,
    });
  }
  return {
    status: response.status,
    json: json ?? {},
    retryAfterSeconds: retryAfterSecondsOf(response.headers['retry-after']),
  };
}

function parseBody(response: OutgoingResponse): Json | undefined {
  if (response.truncated) return undefined;
  if (response.body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(response.body.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The error for a response other than 2xx. Rate limiting is `not_sent`, because nothing was done; 5xx and anything
 * unexpected is `unknown`. The code is one of `CalendarRejection` if one fits, else Google's reason.
 */
export function failureOf(response: GoogleResponse): VendorError {
  const envelope = isObject(response.json.error) ? response.json.error : {};
  const inner = objectsOf(envelope.errors)[0] ?? {};
  const reason = textOf(inner.reason) ?? textOf(envelope.status) ?? `http_${response.status}`;
  const message = textOf(envelope.message) ?? textOf(inner.message) ?? `HTTP status ${response.status}`;
  const details = {
    code: reason,
    title: reason,
    status: response.status,
    ...(response.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: response.retryAfterSeconds }),
  };
  if (response.status === 429 || (response.status === 403 && rateLimitReasons.has(reason))) {
    return new VendorError('not_sent', message, details);
  }
  if (response.status === 403 && reason === 'insufficientPermissions') {
    return new VendorError('rejected', message, { ...details, code: 'scope_missing' });
  }
  if (response.status === 408 || response.status < 400 || response.status >= 500) {
    return new VendorError('unknown', message, details);
  }
  return new VendorError('rejected', message, details);
}
