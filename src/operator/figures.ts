// The figures of the database in /metrics: read at their own pace, whoever asks for the metrics, and never shown when stale.
import type { Registry } from 'prom-client';
import type { Db } from '../db/db.ts';
import { type Figures, openFigureGauges } from './figure-gauges.ts';
import {
  countDeliveries,
  countMessages,
  countTrouble,
  limitFigures,
  readServer,
  readTables,
} from './figures-store.ts';

/** Figures that are younger are shown again: any number of readers cost no more than one. */
const freshMs = 10_000;
/** A reading that took long is repeated after so many times its duration: measured with 500,000 pending messages, it takes half a second. */
const restFactor = 50;
/** A statement that takes longer fails, and a request for the metrics waits no longer. */
const timeoutMs = 2_000;

export interface FiguresDeps {
  db: Db;
  registry: Registry;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

/** Reads all figures in one transaction with its own limits. */
async function readFigures(db: Db): Promise<Figures> {
  return db.transaction().execute(async (tx) => {
    await limitFigures(tx, timeoutMs);
    return {
      messages: await countMessages(tx),
      deliveries: await countDeliveries(tx),
      trouble: await countTrouble(tx),
      server: await readServer(tx),
      tables: await readTables(tx),
    };
  });
}

/**
 * Registers the figures. Returns a function to call before the metrics are read: it updates figures older than ten seconds,
 * and resolves within two seconds at the latest. If the database cannot be read, `gateway_figures_readable` is 0 and the figures have no values.
 */
export function openFigures({
  db,
  registry,
  now = () => performance.now(),
}: FiguresDeps): () => Promise<void> {
  const gauges = openFigureGauges(registry);
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const beganMs = now();
    try {
      const figures = await readFigures(db);
      gauges.show(figures, (now() - beganMs) / 1000);
    } catch {
      gauges.clear();
    }
    const readAtMs = now();
    const tookMs = readAtMs - beganMs;
    nextAtMs = readAtMs + Math.max(freshMs, tookMs * restFactor);
    reading = undefined;
  }

  return async () => {
    if (!reading && now() < nextAtMs) return;
    reading ??= read();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), timeoutMs);
      timer.unref();
    });
    if ((await Promise.race([reading, late])) === 'late') gauges.clear();
    clearTimeout(timer);
  };
}
