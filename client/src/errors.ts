// The errors of calls.
import type { ErrorCode, Problem, ProviderError, Slot } from './generated.ts';

interface FailureBody {
  message?: string;
  code?: string;
  requestId?: string;
  errors?: Problem[];
  provider?: ProviderError;
  alternatives?: Slot[];
  bookingIds?: string[];
  closedAt?: string | null;
  editableAt?: string | null;
}

/** A failure that the gateway reported. */
export class GatewayError<Code extends string = ErrorCode | (string & {})> extends Error {
  override readonly name = 'GatewayError';
  /** HTTP status. */
  readonly status: number;
  /** Stable error code. Messages may change. */
  readonly code: Code;
  readonly requestId: string | undefined;
  /** The problems of an invalid request. */
  readonly errors: Problem[];
  /** The error of the messaging platform or calendar. */
  readonly provider: ProviderError | undefined;
  /** With `slot_unavailable`: other open slots of the date. */
  readonly alternatives: Slot[];
  /** With `booking_open`: the open bookings of the person. */
  readonly bookingIds: string[];
  /** With `window_closed`: when the reply window closed; null if the person never wrote. */
  readonly closedAt: string | null | undefined;
  /** With `template_not_editable`: when the template can be edited again; null if no time is known. */
  readonly editableAt: string | null | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, body: FailureBody, retryAfterSeconds?: number) {
    super(body.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = (body.code ?? 'unknown') as Code;
    this.requestId = body.requestId;
    this.errors = body.errors ?? [];
    this.provider = body.provider;
    this.alternatives = body.alternatives ?? [];
    this.bookingIds = body.bookingIds ?? [];
    this.closedAt = body.closedAt;
    this.editableAt = body.editableAt;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No response: the gateway could not be reached, or not within the time limit. */
export class GatewayConnectionError extends Error {
  override readonly name = 'GatewayConnectionError';
  /** HTTP method of the call. Whether anything but a `GET` was done is unknown. */
  readonly method: string | undefined;

  constructor(message: string, options: ErrorOptions & { method?: string } = {}) {
    super(message, options);
    this.method = options.method;
  }
}

/** True for a failure that the gateway reported, with one of these codes if any are given. */
export function isGatewayError<Code extends ErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is GatewayError<Code> {
  return error instanceof GatewayError && (codes.length === 0 || (codes as string[]).includes(error.code));
}

/** The failure that a response reports. */
export function failureOf(response: Response, text: string): GatewayError {
  let body: FailureBody = {};
  try {
    body = JSON.parse(text) ?? {};
  } catch {
    // a proxy's response, not the gateway's
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new GatewayError(response.status, body, Number.isFinite(seconds) ? seconds : undefined);
}
