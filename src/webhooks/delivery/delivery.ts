// What one delivery is, and what one try of it came to. Pure.
import type { AttemptFailure } from '../../contract/deliveries.ts';

/** A delivery that this process holds the lease of and may try now. */
export interface LeasedDelivery {
  /** The receiver's `webhook-id`. */
  id: string;
  subjectId: string;
  endpointId: string;
  stage: number;
  /** The exact bytes: ASCII JSON. */
  body: string;
  /** Tries that failed since it was made or replayed. */
  failedAttempts: number;
  /** The endpoint's version that was read with it. */
  version: number;
  /** Failures of the endpoint in a row when it was read. */
  failures: number;
  /** Later stages that wait for this one alone, in their order: its holder may try them next, without asking. */
  laterStages?: LeasedDelivery[];
}

export interface SuccessfulAttempt {
  delivered: true;
  status: number;
  durationMs: number;
  /** The beginning of what the receiver answered. */
  answer: string | null;
}

export interface FailedAttempt {
  delivered: false;
  status: number | null;
  reason: AttemptFailure;
  durationMs: number;
  /** The beginning of what the receiver answered. */
  answer: string | null;
  /** What went wrong where there was no whole answer, in words. */
  detail: string | null;
  /** What the receiver asked for by `Retry-After`. */
  retryAfterMs: number;
}

export type AttemptResult = SuccessfulAttempt | FailedAttempt;

export type SucceededDelivery = LeasedDelivery & SuccessfulAttempt;
export type FailedDelivery = LeasedDelivery & FailedAttempt;

/** The receiver said that it is gone for good. */
export const isGone = (outcome: Pick<FailedAttempt, 'status'>): boolean => outcome.status === 410;

/** The rows' primary key in one text, whose order is the order in which every statement locks them. */
export function lockKey(delivery: Pick<LeasedDelivery, 'subjectId' | 'endpointId' | 'stage'>): string {
  return `${delivery.subjectId}/${delivery.endpointId}/${delivery.stage}`;
}

/** How long a claimed or just published delivery is this process's own: a call, and the wait in memory before it. */
export const leaseMs = 75_000;

/** A stage after which none can follow: what waits for its turn never waits for this one. */
export const lastStage = 5;

/** Failures in a row after which an endpoint as a whole backs off, and is tried with one delivery at a time. */
export const failuresToBackOff = 10;

/**
 * The longest that one `Retry-After` keeps the whole endpoint from being tried: it may concern the one request that was
 * refused, and only that delivery waits as long as the receiver said.
 */
export const longestRestMs = 15 * 60_000;
