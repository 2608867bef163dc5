// The gauges of the database's figures in /metrics.
import { Gauge, type Registry } from 'prom-client';
import type { Counts, ServerFigures, TableSize, Waiting } from './figures-store.ts';

/** Labels of senders and endpoints: so many of each, those with the most waiting. */
const listedMax = 20;

export interface Figures {
  messages: Waiting[];
  deliveries: Waiting[];
  trouble: Counts;
  server: ServerFigures;
  tables: TableSize[];
}

/** Makes gauges without values, and clears them together. */
function openClearable(registry: Registry) {
  const all: { empty: () => void }[] = [];
  const gauge = (name: string, help: string, labelNames: string[] = []) => {
    const made = new Gauge({ name, help, labelNames, registers: [registry] });
    // a gauge without labels is reset to 0, not to no value
    const empty = () => (labelNames.length === 0 ? made.remove() : made.reset());
    empty();
    all.push({ empty });
    return made;
  };
  const clear = () => {
    for (const { empty } of all) empty();
  };
  return { gauge, clear };
}

type MakeGauge = ReturnType<typeof openClearable>['gauge'];

/** The gauges of what waits, in all and by whose it is. */
function waitingGauges(gauge: MakeGauge, of: string, whose: string, label: string): WaitingGauges {
  const pending = `gateway_${of}_pending`;
  const oldest = `gateway_${of}_oldest_seconds`;
  const ofWhose = `gateway_${whose}_${of}`;
  return {
    pending: gauge(pending, `Pending ${of}, by state.`, ['state']),
    oldest: gauge(oldest, `How long the oldest of these ${of} has been in its state.`, ['state']),
    ofPending: gauge(`${ofWhose}_pending`, `Pending ${of} of the 20 with the most, by ${whose} and state.`, [
      whose,
      label,
      'state',
    ]),
    ofOldest: gauge(`${ofWhose}_oldest_seconds`, `The same as ${oldest}, of the 20 with the most.`, [
      whose,
      label,
      'state',
    ]),
  };
}

/** The gauges with one value. */
const singleGauges = (gauge: MakeGauge) => ({
  leases: gauge(
    'gateway_delivery_leases',
    'Groups of deliveries that the process which published them still attempts.',
  ),
  oldestLease: gauge('gateway_delivery_leases_oldest_seconds', 'Age of the oldest of these groups.'),
  haltedSenders: gauge('gateway_senders_halted', 'Senders whose number the platform rejected.'),
  restingEndpoints: gauge(
    'gateway_endpoints_resting',
    'Endpoints that are not called for a while, after failures.',
  ),
  disabledEndpoints: gauge('gateway_endpoints_disabled', 'Endpoints that were disabled.'),
  disconnectedCalendars: gauge(
    'gateway_calendars_disconnected',
    'Calendars whose authorization was revoked.',
  ),
  processes: gauge('gateway_processes', 'Processes of the gateway that are connected to the database.'),
  held: gauge('gateway_held', '1 while the gateway is held after a restore, else 0.'),
  databaseBytes: gauge('gateway_database_bytes', 'Size of the database.'),
  oldestTransaction: gauge(
    'gateway_database_oldest_transaction_seconds',
    'Age of the oldest open transaction.',
  ),
  standbys: gauge('gateway_database_standbys', 'Connected standbys.'),
  lagSeconds: gauge(
    'gateway_database_replication_lag_seconds',
    'How far the slowest standby is behind, in time.',
  ),
  lagBytes: gauge(
    'gateway_database_replication_lag_bytes',
    'How far the slowest standby is behind, in write-ahead log.',
  ),
  partitionDaysAhead: gauge('gateway_partition_days_ahead', 'Days after today that have all partitions.'),
});

/** Registers the gauges, without values: `show` sets all, and `clear` says that nothing could be read. */
export function openFigureGauges(registry: Registry) {
  const { gauge, clear: clearAll } = openClearable(registry);
  const readable = new Gauge({
    name: 'gateway_figures_readable',
    help: '1 if the figures of the database could be read at the last attempt, else 0.',
    registers: [registry],
  });
  const duration = gauge('gateway_figures_read_seconds', 'How long the last reading of the figures took.');
  const messages = waitingGauges(gauge, 'messages', 'sender', 'name');
  const deliveries = waitingGauges(gauge, 'deliveries', 'endpoint', 'host');
  const single = singleGauges(gauge);
  const tableBytes = gauge('gateway_table_bytes', 'Size of a partitioned table with its indexes.', ['table']);
  const tableRows = gauge('gateway_table_rows', 'Rows of a partitioned table, estimated.', ['table']);

  function clear(): void {
    readable.set(0);
    clearAll();
  }

  return {
    clear,
    show(
      { messages: ofMessages, deliveries: ofDeliveries, trouble, server, tables }: Figures,
      seconds: number,
    ): void {
      clear();
      readable.set(1);
      duration.set(seconds);
      showWaiting(messages, ofMessages, ['due', 'leased', 'delayed', 'dispatching'], ['sender', 'name']);
      showWaiting(deliveries, ofDeliveries, ['due', 'leased', 'retrying', 'blocked'], ['endpoint', 'host']);
      const values = { ...trouble, ...server, held: trouble.isHeld ? 1 : 0 };
      for (const [name, one] of Object.entries(single)) {
        const value = values[name as keyof typeof single];
        if (value !== null) one.set(value);
      }
      for (const { name, bytes, rows } of tables) {
        tableBytes.set({ table: name }, bytes);
        tableRows.set({ table: name }, rows);
      }
    },
  };
}

type WaitingGauges = Record<'pending' | 'oldest' | 'ofPending' | 'ofOldest', Gauge>;

function showWaiting(
  gauges: WaitingGauges,
  rows: readonly Waiting[],
  states: readonly string[],
  [idLabel, nameLabel]: readonly [string, string],
): void {
  for (const state of states) {
    const here = rows.filter((row) => row.state === state);
    gauges.pending.set({ state }, sum(here));
    gauges.oldest.set({ state }, Math.max(0, ...here.map(({ oldest }) => oldest)));
  }
  for (const { id, name, state, count, oldest } of mostWaiting(rows)) {
    const labels = { [idLabel]: id, [nameLabel]: name ?? '', state };
    gauges.ofPending.set(labels, count);
    gauges.ofOldest.set(labels, oldest);
  }
}

const sum = (rows: readonly Waiting[]) => rows.reduce((total, { count }) => total + count, 0);

/** The rows of those with the most waiting. */
function mostWaiting(rows: readonly Waiting[]): Waiting[] {
  const byId = Map.groupBy(rows, ({ id }) => id);
  return [...byId.values()]
    .sort((a, b) => sum(b) - sum(a))
    .slice(0, listedMax)
    .flat();
}
