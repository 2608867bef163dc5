// The two kinds of error that travel: AppError, told to the caller; VendorError, what an outside call came to.
import { visible } from './visible.ts';

/** One fault of a request: `path` names the field (`recipients[3].variables.2`), `message` says what to mend. */
export interface Problem {
  path: string;
  message: string;
}

/** What the outside said when it refused, in the form that answers and rows carry. */
export interface ProviderError {
  code: number | string;
  title: string;
  message: string;
}

/** At most this many problems are listed in one response; whoever collects more than this may stop. */
export const listedProblemsMax = 100;

export interface AppErrorDetails {
  /** The problems found (400 and 422). */
  errors?: Problem[];
  /** True if there are more problems than `errors` lists. */
  errorsTruncated?: boolean;
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
 * belongs to it. `message` says what happened and what to do, and holds nothing secret. What of the caller's text it and
 * the problems in `errors` repeat is shown with its invisible characters written as codes.
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

const pathMaxLength = 200;
const messageMaxLength = 500;
const listMaxBytes = 64 * 1024;

const clipped = (text: string, maxLength: number) =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

/** The problems as a response lists them: one per path, at most 100 and 64 KB, none longer than a person reads. */
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
 * 400 with the problems found, one per path and at most 100. The message names the first, so that a log line alone is
 * enough to fix a simple case, and says how many there are, or that there are more than `errors` lists.
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
 * What an outside call came to when it did not succeed; the three outcomes decide everything about retries:
 * `rejected`: the other side answered that it did not do it. `not_sent`: the call surely never reached it.
 * `unknown`: it may have been done (time-out or reset after the request was written, an answer that says nothing).
 */
export type Outcome = 'rejected' | 'not_sent' | 'unknown';

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
 * A vendor's failure as the caller is told it: rejected → 502 `provider_rejected` with the vendor's
 * own words; not sent or unknown → 503 `provider_unavailable` with `Retry-After`. Anything else passes unchanged.
 */
export function externalError(error: unknown, who: string): unknown {
  if (!(error instanceof VendorError)) return error;
  if (error.outcome === 'rejected') {
    return new AppError('provider_rejected', `${who} refused: ${error.message.replace(/\s+/g, ' ')}`, {
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
