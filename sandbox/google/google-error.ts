// Google's errors: the envelopes of the Calendar API and of OAuth.

/** An error response; may be thrown anywhere in a handler. */
export class GoogleError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;

  constructor(status: number, body: unknown, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

interface Known {
  status: number;
  message: string;
  domain: string;
  /** Further fields of the inner error. */
  inner?: Record<string, string>;
  /** `error.status`, which only some errors have. */
  grpc?: string;
}

/** Errors by reason (developers.google.com/calendar/api/guides/errors). */
const known: Record<string, Known> = {
  required: { status: 400, message: 'Required', domain: 'global' },
  invalid: { status: 400, message: 'Invalid Value', domain: 'global' },
  parseError: { status: 400, message: 'Parse Error', domain: 'global' },
  timeRangeEmpty: { status: 400, message: 'The specified time range is empty.', domain: 'calendar' },
  timeRangeTooLong: { status: 400, message: 'The requested time range is too long.', domain: 'calendar' },
  authError: {
    status: 401,
    message: 'Invalid Credentials',
    domain: 'global',
    inner: { location: 'Authorization', locationType: 'header' },
    grpc: 'UNAUTHENTICATED',
  },
  insufficientPermissions: {
    status: 403,
    message: 'Request had insufficient authentication scopes.',
    domain: 'global',
    grpc: 'PERMISSION_DENIED',
  },
  forbidden: { status: 403, message: 'Forbidden', domain: 'global' },
  requiredAccessLevel: {
    status: 403,
    message: 'You need to have writer access to this calendar.',
    domain: 'calendar',
  },
  rateLimitExceeded: { status: 403, message: 'Rate Limit Exceeded', domain: 'usageLimits' },
  userRateLimitExceeded: { status: 403, message: 'User Rate Limit Exceeded', domain: 'usageLimits' },
  quotaExceeded: { status: 403, message: 'Calendar usage limits exceeded.', domain: 'usageLimits' },
  accessNotConfigured: {
    status: 403,
    message: 'Google Calendar API has not been used in this project before or it is disabled.',
    domain: 'usageLimits',
  },
  notFound: { status: 404, message: 'Not Found', domain: 'global' },
  duplicate: { status: 409, message: 'The requested identifier already exists.', domain: 'global' },
  deleted: { status: 410, message: 'Resource has been deleted', domain: 'global' },
  fullSyncRequired: {
    status: 410,
    message: 'Sync token is no longer valid, a full sync is required.',
    domain: 'calendar',
    inner: { location: 'syncToken', locationType: 'parameter' },
  },
  conditionNotMet: {
    status: 412,
    message: 'Precondition Failed',
    domain: 'global',
    inner: { location: 'If-Match', locationType: 'header' },
  },
  backendError: { status: 500, message: 'Backend Error', domain: 'global' },
};

/** The error with that reason; `given` replaces its default status and text. */
export function apiError(
  reason: string,
  given: { status?: number; message?: string; retryAfterSeconds?: number; retryAfter?: string } = {},
): GoogleError {
  const defaults = known[reason] ?? { status: 500, message: reason, domain: 'global' };
  const status = given.status ?? defaults.status;
  const message = given.message ?? defaults.message;
  const body = {
    error: {
      errors: [{ domain: defaults.domain, reason, message, ...defaults.inner }],
      code: status,
      message,
      ...(defaults.grpc === undefined ? {} : { status: defaults.grpc }),
    },
  };
  const headers: Record<string, string> = {};
  const wait = given.retryAfter ?? given.retryAfterSeconds;
  if (wait !== undefined) headers['retry-after'] = String(wait);
  return new GoogleError(status, body, message, headers);
}

/** An error of the token endpoint (RFC 6749 section 5.2). */
export function oauthError(status: number, error: string, description: string): GoogleError {
  return new GoogleError(status, { error, error_description: description }, description);
}
