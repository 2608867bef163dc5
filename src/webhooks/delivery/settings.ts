// How much of the delivering this process does at a time, and how long it keeps trying.
import { type Schedule, webhookSchedule } from '../../work/backoff.ts';
import type { AttemptResult } from './delivery.ts';

export interface DeliverySettings {
  schedule: Schedule;
  /** Calls under way to one endpoint at most, so that a slow one holds no more than these. */
  inFlightPerEndpoint: number;
  /** Deliveries that wait in memory for one endpoint, and for all; what is beyond waits in the database. */
  queuedPerEndpoint: number;
  queuedInAll: number;
  /** Of each endpoint this many may wait even when memory is full, so that those that hang cannot shut the others out. */
  assuredPerEndpoint: number;
  /** Deliveries that one claim brings at most. */
  claimedPerRound: number;
  /** In [0, 1), for the jitter of retries. */
  random?: () => number;
  /** Told of every try, for metrics. */
  onAttempt?: (outcome: AttemptResult) => void;
}

export const deliveryDefaults: DeliverySettings = {
  schedule: webhookSchedule,
  inFlightPerEndpoint: 64,
  queuedPerEndpoint: 1_000,
  queuedInAll: 10_000,
  assuredPerEndpoint: 16,
  claimedPerRound: 2_000,
};
