// The metrics of /metrics, in one registry.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  requests: Histogram<'method' | 'route' | 'status'>;
  messages: Counter<'outcome'>;
  statuses: Counter<'outcome'>;
  received: Counter<'outcome'>;
  deliveries: Counter<'outcome'>;
  senderChecks: Counter<'name' | 'status'>;
  clockSteps: Counter<'clock' | 'direction'>;
  clockOffset: Gauge;
  /** Backups of the database, by any process. */
  backups: Record<'age' | 'duration' | 'bytes' | 'failures' | 'snapshotAge', Gauge>;
}

/** Creates a registry with the default process metrics and the gateway's own. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  return {
    registry,
    requests: new Histogram({
      name: 'gateway_http_request_seconds',
      help: 'Time to answer a request, by route.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
      registers: [registry],
    }),
    messages: counter('gateway_messages_total', 'Calls to the messaging platform, by outcome.'),
    statuses: counter('gateway_statuses_total', "The messaging platform's reports, by what came of them."),
    received: counter('gateway_received_total', 'Inbound messages, by what came of them.'),
    deliveries: counter('gateway_deliveries_total', 'Attempts to deliver a webhook, by outcome.'),
    senderChecks: new Counter({
      name: 'gateway_sender_checks_total',
      help: 'Checks of senders whose status changed, by the new status.',
      labelNames: ['name', 'status'],
      registers: [registry],
    }),
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
