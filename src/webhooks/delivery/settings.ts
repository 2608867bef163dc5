// Limits of the deliveries in this process, and the schedule of their retries.
import { type Schedule, webhookSchedule } from '../../work/backoff.ts';
import type { AttemptResult, LeasedDelivery } from './delivery.ts';

export interface DeliverySettings {
  schedule: Schedule;
  /** Concurrent calls to one endpoint, so that a slow one holds no more than these. */
  inFlightPerEndpoint: number;
  /** Deliveries queued in memory for one endpoint, and for all. The others stay in the database. */
  queuedPerEndpoint: number;
  queuedInAll: number;
  /** Each endpoint may queue this many even when memory is full, so that hanging endpoints cannot exclude the others. */
  assuredPerEndpoint: number;
  claimedPerRound: number;
  /** Successes that are not committed yet: at most about this many are delivered twice after a crash. Further calls wait. */
  unrecordedMax: number;
  /** In [0, 1), for the jitter of retries. */
  random?: () => number;
  /** Called after every attempt, for metrics. */
  onAttempt?: (result: AttemptResult, endpointId: string) => void;
  /** Called with the milliseconds from a delivery's cause to its success, if the cause is known, for metrics. */
  onDelivered?: (ms: number) => void;
  /** Called before each call of a receiver, if calls are traced: its `traceparent`, and what to call afterwards. */
  onCall?: (delivery: LeasedDelivery) => { traceparent: string; ended: (result?: AttemptResult) => void };
  /** Called with the number of deliveries of each commit of successes, for metrics. */
  onRecord?: (deliveries: number) => void;
}

export const deliveryDefaults: DeliverySettings = {
  schedule: webhookSchedule,
  inFlightPerEndpoint: 64,
  queuedPerEndpoint: 1_000,
  queuedInAll: 10_000,
  assuredPerEndpoint: 16,
  claimedPerRound: 2_000,
  unrecordedMax: 1_000,
};
