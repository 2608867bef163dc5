// The two kinds of error that travel: AppError, told to the caller; VendorError, what an outside call came to.

/** One fault of a request: `path` names the field (`recipients[3].variables.2`), `message` says what to mend. */
export interface Fault {
  path: string;
  message: string;
}

/** What the outside said when it refused, in the form that answers and rows carry (`api.md` part 1, "Outside faults"). */
export interface ProviderError {
  code: number | string;
  title: string;
  message: string;
}

export interface AppErrorDetails {
  /** Every fault found (400 and 422). */
  errors?: Fault[];
  /** The outside's own words (502). */
  provider?: ProviderError;
  /** Seconds after which trying again makes sense (`Retry-After`). */
  retryAfterSeconds?: number;
  /** Further members of the failure body, beside `message` (such as a booking's `alternatives`). */
  extra?: Record<string, unknown>;
  /** What happened, for our log alone; never shown to the caller. */
  cause?: unknown;
}

/**
 * A failure that is told to the caller. `code` is stable snake_case; `http/reply.ts` alone knows which HTTP status
 * belongs to it. `message` says what happened and what to do, and holds nothing secret.
 */
export class AppError extends Error {
  readonly code: string;
  readonly details: AppErrorDetails;

  constructor(code: string, message: string, details: AppErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }
}

/** 400 with every fault found. The message names the first, so that a log line alone is enough to mend a simple case. */
export function invalidRequest(errors: Fault[]): AppError {
  const first = errors[0];
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  const text = first
    ? `${first.path ? `${first.path}: ` : ''}${first.message}${more}`
    : 'The request is invalid.';
  return new AppError('invalid_request', text, { errors });
}

/**
 * What an outside call came to when it did not succeed; the three outcomes decide everything about retries:
 * `refused`: the other side answered that it did not do it. `not_sent`: the call surely never reached it.
 * `unknown`: it may have been done (time-out or reset after the request was written, an answer that says nothing).
 */
export type Outcome = 'refused' | 'not_sent' | 'unknown';

export interface VendorErrorDetails {
  code?: number | string;
  /** What the other side says beside its code. */
  subcode?: number;
  title?: string;
  /** Seconds the other side asked us to wait. */
  retryAfterSeconds?: number;
  /** HTTP status of the answer, if one came. */
  status?: number;
  cause?: unknown;
}

/** Thrown by adapters alone. `message` is the other side's explanation in full, or what our transport met. */
export class VendorError extends Error {
  readonly outcome: Outcome;
  readonly code: number | string | undefined;
  readonly subcode: number | undefined;
  readonly title: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly status: number | undefined;

  constructor(outcome: Outcome, message: string, details: VendorErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'VendorError';
    this.outcome = outcome;
    this.code = details.code;
    this.subcode = details.subcode;
    this.title = details.title;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.status = details.status;
  }
}

/**
 * A vendor's failure as the caller is told it (`api.md` part 1): refused → 502 `provider_rejected` with the vendor's
 * own words; not sent or unknown → 503 `provider_unavailable` with `Retry-After`. Anything else passes unchanged.
 */
export function outsideFault(error: unknown, who: string): unknown {
  if (!(error instanceof VendorError)) return error;
  if (error.outcome === 'refused') {
    return new AppError('provider_rejected', `${who} refused: ${error.message}`, {
      provider: {
        code: error.code ?? error.status ?? 0,
        title: error.title ?? 'Refused',
        message: error.message,
      },
      cause: error,
    });
  }
  return new AppError(
    'provider_unavailable',
    `${who} could not be reached or did not answer in time. Try again.`,
    {
      retryAfterSeconds: error.retryAfterSeconds ?? 5,
      cause: error,
    },
  );
}
