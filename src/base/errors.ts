// The two error types that cross modules: AppError, shown to the caller, and VendorError, the result of a failed external call.
import { visible } from './visible.ts';

/** One wrong field of a request: `path` names it (`recipients[3].variables.2`), `message` says what is allowed. */
export interface Problem {
  path: string;
  message: string;
}

/** A vendor's error, in the form of responses and rows. */
export interface ProviderError {
  code: number | string;
  title: string;
  message: string;
}

/** Maximum number of problems in one response; validation may stop after one more. */
export const listedProblemsMax = 100;

export interface AppErrorDetails {
  /** The problems found (400 and 422). */
  errors?: Problem[];
  /** True if there are more problems than `errors` lists. */
  errorsTruncated?: boolean;
  /** The vendor's error (502). */
  provider?: ProviderError;
  /** Seconds after which a retry may succeed (`Retry-After`). */
  retryAfterSeconds?: number;
  /** Additional fields of the error response, such as a booking's `alternatives`. */
  extra?: Record<string, unknown>;
  /** The underlying error, for the log only; never shown to the caller. */
  cause?: unknown;
}

/**
 * An error that is shown to the caller. `code` is stable snake_case; only `http/reply.ts` maps it to an HTTP status.
 * `message` says what happened and what to do, and contains no secret. Invisible characters of the caller's text in it and in
 * `errors` are written as codes.
 */
export class AppError extends Error {
  readonly code: string;
  readonly details: AppErrorDetails;

  constructor(code: string, message: string, details: AppErrorDetails = {}) {
    super(visible(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = details.errors ? { ...details, errors: details.errors.map(visibleProblem) } : details;
  }
}

const visibleProblem = ({ path, message }: Problem): Problem => ({
  path: visible(path),
  message: visible(message),
});

/** The text of anything that was thrown. */
export const textOfError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const pathMaxLength = 200;
const messageMaxLength = 500;
const listMaxBytes = 64 * 1024;

const clipped = (text: string, maxLength: number) =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

/** The problems that a response lists: one per path, at most 100 and 64 KB, with long texts cut. */
function listedProblems(problems: Iterable<Problem>): { listed: Problem[]; isTruncated: boolean } {
  const listed: Problem[] = [];
  const paths = new Set<string>();
  let bytes = 0;
  for (const { path, message } of problems) {
    if (paths.has(path)) continue;
    paths.add(path);
    const problem = { path: clipped(path, pathMaxLength), message: clipped(message, messageMaxLength) };
    bytes += Buffer.byteLength(JSON.stringify(problem));
    if (listed.length === listedProblemsMax || bytes > listMaxBytes) return { listed, isTruncated: true };
    listed.push(problem);
  }
  return { listed, isTruncated: false };
}

/**
 * Returns a 400 with the problems, one per path and at most 100. The message contains the first problem and the number of
 * the others, so that a log line is enough to fix a simple case.
 */
export function invalidRequest(problems: Iterable<Problem>): AppError {
  const { listed, isTruncated } = listedProblems(problems);
  const first = listed[0];
  if (!first) return new AppError('invalid_request', 'The request is invalid.', { errors: [] });
  const others = listed.length - 1;
  const more = isTruncated
    ? ` (and more than ${others} others; errors lists the first ${listed.length})`
    : others > 0
      ? ` (and ${others} more, see errors)`
      : '';
  const text = `${first.path ? `${first.path}: ` : ''}${first.message}${more}`;
  return new AppError('invalid_request', text, {
    errors: listed,
    ...(isTruncated ? { errorsTruncated: true } : {}),
  });
}

/**
 * The outcome of a failed external call, which decides about retries. `rejected`: the vendor answered that it did not do it.
 * `not_sent`: the call certainly did not reach the vendor. `unknown`: the vendor may have done it (a timeout or reset after the
 * request was sent, or a meaningless response).
 */
export type Outcome = 'rejected' | 'not_sent' | 'unknown';

export interface VendorErrorDetails {
  code?: number | string;
  /** The vendor's subcode. */
  subcode?: number;
  /** True if the vendor says that a repeated call may succeed. */
  isTransient?: boolean;
  title?: string;
  /** Seconds that the vendor asked us to wait. */
  retryAfterSeconds?: number;
  /** HTTP status of the response, if there was one. */
  status?: number;
  cause?: unknown;
}

/** Longer than any vendor's explanation, and what a hostile server can make the gateway store, log and pass on. */
const explanationMaxLength = 2_000;
const titleMaxLength = 200;

/** Adds no ellipsis: the redaction of secrets recognizes the beginning of one at the end of a text. */
const cut = (text: string, maxLength: number) =>
  text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed();

/**
 * Thrown only by adapters. `message` is the vendor's explanation or the transport error; longer texts than vendors write are cut.
 */
export class VendorError extends Error {
  readonly outcome: Outcome;
  readonly code: number | string | undefined;
  readonly subcode: number | undefined;
  readonly isTransient: boolean;
  readonly title: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly status: number | undefined;

  constructor(outcome: Outcome, message: string, details: VendorErrorDetails = {}) {
    super(
      cut(message, explanationMaxLength),
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.name = 'VendorError';
    this.outcome = outcome;
    this.code = typeof details.code === 'string' ? cut(details.code, titleMaxLength) : details.code;
    this.subcode = details.subcode;
    this.isTransient = details.isTransient ?? false;
    this.title = details.title === undefined ? undefined : cut(details.title, titleMaxLength);
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.status = details.status;
  }
}

/**
 * Maps a vendor's error to one for the caller. Rejected: 502 `provider_rejected` with the vendor's error and `what` was rejected, and with
 * `Retry-After` if the vendor asked to wait. Not sent or unknown: 503 `provider_unavailable` with `Retry-After`. Returns any other error unchanged.
 */
export function externalError(error: unknown, who: string, what = 'the request'): unknown {
  if (!(error instanceof VendorError)) return error;
  if (error.outcome === 'rejected') {
    return new AppError(
      'provider_rejected',
      `${who} rejected ${what}: ${error.message.replace(/\s+/g, ' ')}`,
      {
        provider: {
          code: error.code ?? error.status ?? 0,
          title: error.title ?? 'Refused',
          message: error.message,
        },
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
        cause: error,
      },
    );
  }
  return new AppError(
    'provider_unavailable',
    `${who} could not be reached or did not respond in time. Retry later.`,
    {
      retryAfterSeconds: error.retryAfterSeconds ?? 5,
      cause: error,
    },
  );
}
