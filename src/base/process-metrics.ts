// The metrics of this process's threads and connection pools.
import { Gauge, Histogram, type Registry } from 'prom-client';
import { lagEveryMs, lagMemory, measureLag, takeLag } from './loop-lag.ts';

/** Connections of a pool at this moment. */
interface PoolUsage {
  max: number;
  used: number;
  idle: number;
  waiting: number;
}

export interface ProcessMetrics {
  /** Shows a pool; `usage` is read whenever the metrics are. */
  watchPool(pool: string, usage: () => PoolUsage | undefined): void;
  /** Shows the lag of a thread that measures it into `memory` (`loop-lag.ts`). */
  watchThread(thread: string, memory: SharedArrayBuffer): void;
  /** Ends the measurement of this thread. */
  stop(): void;
}

const lagBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Registers the metrics, and measures the calling thread as `main`. */
export function openProcessMetrics(registry: Registry): ProcessMetrics {
  const pools = new Map<string, () => PoolUsage | undefined>();
  const threads = new Map<string, SharedArrayBuffer>();
  const lag = new Histogram({
    name: 'gateway_event_loop_lag_seconds',
    help: 'How late a thread ran a timer, measured twice a second, by thread.',
    labelNames: ['thread'],
    buckets: lagBuckets,
    registers: [registry],
  });
  const gauge = (name: string, help: string, labelNames: string[], collect: (of: Gauge) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        collect(this);
      },
    });
  gauge(
    'gateway_pool_connections',
    'Open database connections, by pool and state.',
    ['pool', 'state'],
    (of) => {
      for (const [pool, usage] of pools) {
        const { used = 0, idle = 0 } = usage() ?? {};
        of.set({ pool, state: 'used' }, used);
        of.set({ pool, state: 'idle' }, idle);
      }
    },
  );
  gauge('gateway_pool_connections_max', 'Database connections that a pool may open.', ['pool'], (of) => {
    for (const [pool, usage] of pools) of.set({ pool }, usage()?.max ?? 0);
  });
  gauge(
    'gateway_pool_waiting',
    'Statements that wait for a database connection, by pool.',
    ['pool'],
    (of) => {
      for (const [pool, usage] of pools) of.set({ pool }, usage()?.waiting ?? 0);
    },
  );
  const own = lagMemory();
  const endOwn = measureLag(own);
  threads.set('main', own);
  const timer = setInterval(() => {
    for (const [thread, memory] of threads) lag.observe({ thread }, takeLag(memory) / 1000);
  }, lagEveryMs);
  timer.unref();
  return {
    watchPool: (pool, usage) => void pools.set(pool, usage),
    watchThread: (thread, memory) => void threads.set(thread, memory),
    stop() {
      clearInterval(timer);
      endOwn();
    },
  };
}
