// One HTTP exchange with Google, its answer read as JSON, and every failure folded into the three outcomes.
import { VendorError } from '../../base/errors.ts';
import type { Outgoing, OutgoingRequest, OutgoingResponse } from '../../base/outgoing.ts';
import { OutgoingError } from '../../base/outgoing-error.ts';
import { type AttemptLimits, noTimeLeft } from '../../base/retry.ts';
import { isObject, type Json, objectsOf, textOf } from './json.ts';

export interface GoogleAnswer {
  status: number;
  /** Empty where there was no JSON object. */
  json: Json;
  retryAfterSeconds: number | undefined;
}

/** Reasons by which Google turns calls away for their pace, as 403 (developers.google.com/calendar/api/guides/errors). */
const paceReasons = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'dailyLimitExceeded',
]);

/** Sends one request. Any status is an answer; throws VendorError where there is none, or none that can be read. */
export async function exchange(
  outgoing: Pick<Outgoing, 'request'>,
  request: Omit<OutgoingRequest, 'timeoutMs' | 'signal'>,
  { until, signal }: AttemptLimits,
): Promise<GoogleAnswer> {
  const timeoutMs = until - performance.now();
  if (timeoutMs <= 0)
    throw new VendorError('not_sent', 'The time was up before the call.', { code: noTimeLeft });
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
  const json = parsed(response);
  if (json === undefined && response.status < 300) {
    throw new VendorError('unknown', 'The answer could not be read.', {
      code: 'unreadable_answer',
      status: response.status,
    });
  }
  return { status: response.status, json: json ?? {}, retryAfterSeconds: retryAfterOf(response) };
}

function parsed(response: OutgoingResponse): Json | undefined {
  if (response.truncated) return undefined;
  if (response.body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(response.body.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds; the form with a date is not used by Google's APIs. */
function retryAfterOf(response: OutgoingResponse): number | undefined {
  const seconds = Number(response.headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/**
 * What an answer other than 2xx means. Turned away for pace counts as `not_sent`, since nothing was done and it may
 * be repeated; 5xx and anything unexpected is `unknown`. The code is ours (`ports/calendar.ts`) where there is one.
 */
export function failureOf(answer: GoogleAnswer): VendorError {
  const envelope = isObject(answer.json.error) ? answer.json.error : {};
  const inner = objectsOf(envelope.errors)[0] ?? {};
  const reason = textOf(inner.reason) ?? textOf(envelope.status) ?? `http_${answer.status}`;
  const message = textOf(envelope.message) ?? textOf(inner.message) ?? `HTTP status ${answer.status}`;
  const details = {
    code: reason,
    title: reason,
    status: answer.status,
    ...(answer.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: answer.retryAfterSeconds }),
  };
  if (answer.status === 429 || (answer.status === 403 && paceReasons.has(reason))) {
    return new VendorError('not_sent', message, details);
  }
  if (answer.status === 401)
    return new VendorError('rejected', message, { ...details, code: 'invalid_grant' });
  if (answer.status === 403 && reason === 'insufficientPermissions') {
    return new VendorError('rejected', message, { ...details, code: 'scope_missing' });
  }
  if (answer.status === 408 || answer.status < 400 || answer.status >= 500) {
    return new VendorError('unknown', message, details);
  }
  return new VendorError('rejected', message, details);
}
