// A delivery, its states, and the result of one attempt. Pure.
import { outcomeOf } from '../../base/outgoing/outcome.ts';
import type { AttemptFailure, DeliveryItem } from '../../contract/deliveries.ts';

/** The column `deliveries.state`. */
export const deliveryState = {
  /** Due, or leased while `due_at` lies ahead. */
  ready: 0,
  delivered: 1,
  dead: 2,
  /** Behind an earlier stage of the same message. */
  waiting: 3,
  /** Failed, and due for its next attempt at `due_at`. */
  retrying: 4,
} as const;

/** Neither delivered nor dead. */
export const pendingStates = {
  ready: deliveryState.ready,
  waiting: deliveryState.waiting,
  retrying: deliveryState.retrying,
} as const;

/** A message's stages in the order in which receivers get them; every other event has stage 0. */
export const stages = { sent: 3, delivered: 4, read: 5, failed: 6 } as const;
export type StageName = keyof typeof stages;

const stageNames = new Map<number, StageName>(
  Object.entries(stages).map(([name, stage]) => [stage, name as StageName]),
);

/** The name of a stage of a message; undefined for the stage of every other event. */
export const stageNameOf = (stage: number): StageName | undefined => stageNames.get(stage);

/** No stage follows this one, so none waits for it. */
export const lastStage = stages.read;

/** Why a delivery became dead before its last retry. */
export const deadReason = {
  endpointDisabled: 'endpoint_disabled',
  endpointDeleted: 'endpoint_deleted',
} as const satisfies Record<string, DeliveryItem['lastFailure']>;

/** The lease of the deliveries that one statement published; they share this object. */
export interface PublishedLease {
  id: string;
  /** Its deliveries that are not recorded as delivered. At none, the last record also ends the lease; else it expires. */
  open: number;
}

/** A delivery that this process leases and may attempt now. */
export interface LeasedDelivery {
  /** The receiver's `webhook-id`. */
  id: string;
  subjectId: string;
  endpointId: string;
  stage: number;
  /** The exact bytes: ASCII JSON. */
  body: string;
  /** Failed attempts since it was created or replayed. */
  failedAttempts: number;
  /** The endpoint's version, read with the delivery. */
  version: number;
  /** The endpoint's consecutive failures, read with the delivery. */
  failures: number;
  /** Later stages that wait for this one alone, in order. The process that leases this one may attempt them next. */
  laterStages?: LeasedDelivery[];
  /** Of a delivery that this process published; others have a lease of their own, their `due_at`. */
  lease?: PublishedLease;
  /** When its cause arrived, in milliseconds of `machineMs`, for metrics; unknown for a delivery that was claimed. */
  causedAtMs?: number | undefined;
}

/** What an attempt needs to know of its delivery. */
export type DeliveryToAttempt = Pick<LeasedDelivery, 'id' | 'endpointId' | 'version' | 'body'>;

/** The primary key of a delivery. */
export type DeliveryKey = Pick<LeasedDelivery, 'subjectId' | 'endpointId' | 'stage'>;

export interface SuccessfulAttempt {
  delivered: true;
  status: number;
  durationMs: number;
  /** The beginning of the receiver's response. */
  answer: string | null;
}

export interface FailedAttempt {
  delivered: false;
  status: number | null;
  reason: AttemptFailure;
  /** The attempt's `webhook-timestamp`, in epoch seconds. */
  timestampSeconds: number;
  durationMs: number;
  /** The beginning of the receiver's response. */
  answer: string | null;
  /** What went wrong, in words, if there was no complete response. */
  detail: string | null;
  /** The wait that the receiver requested by `Retry-After`; 0 if none. */
  retryAfterMs: number;
}

export type AttemptResult = SuccessfulAttempt | FailedAttempt;

/** The outcome of the call to the receiver, in the words of the metric of all calls. */
export function outcomeOfAttempt(result: AttemptResult): string {
  if (result.delivered) return 'ok';
  if (result.reason !== 'status' || result.status === null) return result.reason;
  return result.status < 400 ? 'rejected' : outcomeOf(result.status);
}

export type SucceededDelivery = LeasedDelivery & SuccessfulAttempt;
export type FailedDelivery = LeasedDelivery & FailedAttempt;

export const httpGone = 410;

/** True if the receiver reported that the endpoint no longer exists. */
export const isGone = (result: Pick<FailedAttempt, 'status'>): boolean => result.status === httpGone;

/** The trace that a delivery is in: its message's, its booking's if the event has one, else its own. */
export function tracedSubjectOf({ subjectId, body }: Pick<LeasedDelivery, 'subjectId' | 'body'>): string {
  if (!body.startsWith('{"event":"appointments.')) return subjectId;
  const { data } = JSON.parse(body) as { data: { bookingId?: unknown } | null };
  return typeof data?.bookingId === 'string' ? data.bookingId : subjectId;
}

/**
 * The row's primary key as one text. Every statement locks rows in the order of these texts, except that it locks the stages of one subject and endpoint
 * in the order of their ids, in which they were published and are attempted: a failure comes before the stages that overtook it.
 */
export function lockKey(delivery: DeliveryKey): string {
  return `${delivery.subjectId}/${delivery.endpointId}/${delivery.stage}`;
}

/** The lease of a claimed or just published delivery: one call, and the wait in memory before it. */
export const leaseMs = 75_000;

/** Consecutive failures after which an endpoint backs off and is probed with one delivery at a time. */
export const failuresToBackOff = 10;

/** The longest that one `Retry-After` pauses the whole endpoint. The delivery itself waits as long as requested. */
export const longestRestMs = 15 * 60_000;
