// The messages between the gateway's main thread and the delivery thread. Types only.
import type { KeyRing } from '../../../base/cipher.ts';
import type { OutgoingOptions } from '../../../base/outgoing/outgoing.ts';
import type { Connection } from '../../../db/db.ts';
import type { FinishedSpan } from '../../../ports/tracing.ts';
import type { AttemptResult, DeliveryToAttempt, LeasedDelivery } from '../delivery.ts';

/** What the thread is started with. */
export interface ThreadSettings {
  connection: Connection;
  maxConnections: number;
  processId: number;
  keyRing: KeyRing;
  outgoing: OutgoingOptions;
  webhookTimeoutMs: number;
  logLevel: string;
  /** Whether to report each call as a span, and pass its `traceparent` to receivers. */
  isTraced: boolean;
  /** Where the thread writes its lag and the connections of its pool (`loop-lag.ts`). */
  lag: SharedArrayBuffer;
  /** How long running calls may take to end after `stop`. */
  graceMs: number;
}

/** Calls of the main thread: the input of each, and its result. */
export interface ThreadCalls {
  claim: { input: undefined; result: number };
  attempt: { input: DeliveryToAttempt; result: AttemptResult | undefined };
  stop: { input: undefined; result: undefined };
}

export type ThreadCall = {
  [Name in keyof ThreadCalls]: { number: number; call: Name; input: ThreadCalls[Name]['input'] };
}[keyof ThreadCalls];

export type MessageToThread = { offer: LeasedDelivery[] } | { drop: string } | ThreadCall;

/** An error as an object: a cloned Error would lose the properties that `db/failure.ts` recognizes it by. */
export interface PassedError {
  message: string;
  code?: unknown;
  syscall?: unknown;
  stack?: string | undefined;
}

export type ThreadReply = { number: number; result: unknown } | { number: number; error: PassedError };

/** What happened since the last report. */
export interface ThreadReport {
  /** Attempts by result. */
  attempts: Record<string, number>;
  /** The durations of these attempts in milliseconds, by the outcome of the call. */
  callMs: Record<string, number[]>;
  /** The calls, if they are traced. */
  spans: FinishedSpan[];
  /** Milliseconds from callback to webhook. */
  callbackToWebhookMs: number[];
  /** Milliseconds of each wait for a connection. */
  poolWaitMs: number[];
  /** Ordering groups of each commit of successes. */
  recorded: number[];
  /** The endpoints that were called. */
  endpointIds: string[];
  /** Deliveries that wait now. */
  queued: number;
}

export type MessageFromThread =
  | { ready: true }
  | { log: string }
  | { busy: string[] }
  | { capacity: true }
  | { report: ThreadReport }
  | ThreadReply;
