// The metrics of /metrics, in one registry.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { openProcessMetrics, type ProcessMetrics } from './process-metrics.ts';

/** Observes a call: its outcome, and its time until the response, or until the headers of a stream. */
export type ObserveCall = (outcome: string, ms: number) => void;

export interface Metrics {
  registry: Registry;
  /** Threads and connection pools. */
  process: ProcessMetrics;
  /** Observes calls of external systems: `platform`, `google`, `caldav`, `object_store`, `receiver`. */
  callsOf(system: string): ObserveCall;
  /** Requests that got 429, by the limit: `default`, `account`, `session` or `authentication`. */
  rateLimited: Counter<'limit'>;
  info: Gauge<'version' | 'role'>;
  requests: Histogram<'method' | 'route' | 'status'>;
  platformCalls: Histogram;
  sendOverhead: Histogram;
  callbackToWebhook: Histogram;
  claims: Histogram<'queue'>;
  batchItems: Histogram<'batch'>;
  poolWaits: Histogram<'pool'>;
  /** Shows the length of a queue, read whenever the metrics are. */
  watchQueue(queue: string, depth: () => number): void;
  messages: Counter<'outcome'>;
  statuses: Counter<'outcome'>;
  received: Counter<'outcome'>;
  deliveries: Counter<'outcome'>;
  senderChecks: Counter<'name' | 'status'>;
  /** Rows that retention removed one by one. */
  retention: Counter<'kind'>;
  clockSteps: Counter<'clock' | 'direction'>;
  clockOffset: Gauge;
  /** Backups of the database, by any process. */
  backups: Record<'age' | 'duration' | 'bytes' | 'failures' | 'snapshotAge', Gauge>;
}

/** Upper bounds in seconds, from half a millisecond. */
const durations = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500];

function openHistograms(registry: Registry) {
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    buckets = durations,
  ) => new Histogram({ name, help, labelNames, buckets, registers: [registry] });
  return {
    requests: histogram('gateway_http_request_seconds', 'Time to answer a request, by route.', [
      'method',
      'route',
      'status',
    ]),
    platformCalls: histogram('gateway_platform_call_seconds', 'Time of a call that sends a message.'),
    sendOverhead: histogram(
      'gateway_send_overhead_seconds',
      "Time to answer a send to one recipient, without the platform's own.",
    ),
    callbackToWebhook: histogram(
      'gateway_callback_to_webhook_seconds',
      "From a status report's arrival to the receiver's acceptance of its webhook, at the first attempt.",
    ),
    calls: histogram('gateway_call_seconds', 'Calls of external systems, by system and outcome.', [
      'system',
      'outcome',
    ]),
    claims: histogram('gateway_claim_seconds', 'Time to claim due work, by queue.', ['queue']),
    batchItems: histogram('gateway_batch_items', 'Items that one commit wrote, by batch.', ['batch'], sizes),
    poolWaits: histogram('gateway_pool_wait_seconds', 'Wait for a database connection, by pool.', ['pool']),
  };
}

/** Creates a registry with the default process metrics and the gateway's own. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const depths = new Map<string, () => number>();
  new Gauge({
    name: 'gateway_queue_depth',
    help: 'Messages and webhooks that wait in the memory of this process.',
    labelNames: ['queue'],
    registers: [registry],
    collect() {
      for (const [queue, depth] of depths) this.set({ queue }, depth());
    },
  });
  const { calls, ...histograms } = openHistograms(registry);
  return {
    registry,
    process: openProcessMetrics(registry),
    ...histograms,
    info: new Gauge({
      name: 'gateway_info',
      help: 'Always 1; the labels say what runs.',
      labelNames: ['version', 'role'],
      registers: [registry],
    }),
    callsOf: (system) => (outcome, ms) => calls.observe({ system, outcome }, ms / 1000),
    rateLimited: new Counter({
      name: 'gateway_rate_limited_total',
      help: 'Requests that were rejected or delayed by a rate limit, by limit.',
      labelNames: ['limit'],
      registers: [registry],
    }),
    watchQueue: (queue, depth) => void depths.set(queue, depth),
    messages: counter('gateway_messages_total', 'Calls to the messaging platform, by outcome.'),
    statuses: counter('gateway_statuses_total', "The messaging platform's reports, by what came of them."),
    received: counter('gateway_received_total', 'Inbound messages, by what came of them.'),
    deliveries: counter('gateway_deliveries_total', 'Attempts to deliver a webhook, by outcome.'),
    ...openChanges(registry),
    clockSteps: new Counter({
      name: 'gateway_clock_steps_total',
      help: "Steps of the database's clock and of this machine's that this process noticed.",
      labelNames: ['clock', 'direction'],
      registers: [registry],
    }),
    clockOffset: new Gauge({
      name: 'gateway_clock_offset_seconds',
      help: "How far the database's clock is ahead of this machine's.",
      registers: [registry],
    }),
    backups: {
      age: gauge(
        'gateway_backup_age_seconds',
        'Age of the last good backup, as a worker sees it; +Inf if there is none.',
      ),
      duration: gauge('gateway_backup_duration_seconds', 'How long the last good backup took.'),
      bytes: gauge('gateway_backup_bytes', 'Size of the last good backup.'),
      failures: gauge('gateway_backup_failures', 'Failed backups since the last good one.'),
      snapshotAge: gauge(
        'gateway_backup_snapshot_age_seconds',
        "Age of a running backup's snapshot, during which PostgreSQL removes no old rows; else 0.",
      ),
    },
  };
}

function openChanges(registry: Registry) {
  return {
    senderChecks: new Counter({
      name: 'gateway_sender_checks_total',
      help: 'Checks of senders whose status changed, by the new status.',
      labelNames: ['name', 'status'],
      registers: [registry],
    }),
    retention: new Counter({
      name: 'gateway_retention_removed_total',
      help: 'Rows that were removed because they ended long ago, without those of dropped partitions.',
      labelNames: ['kind'],
      registers: [registry],
    }),
  };
}

/** Performs `work` and observes its duration, whatever its result. */
export async function timed<Label extends string, T>(
  histogram: Histogram<Label>,
  labels: Partial<Record<Label, string>>,
  work: () => Promise<T>,
): Promise<T> {
  const beganMs = performance.now();
  try {
    return await work();
  } finally {
    histogram.observe(labels, (performance.now() - beganMs) / 1000);
  }
}
