// Writes to the cluster's address ten times a second, with a new connection each: when the database itself accepted writes, whatever the gateways did.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

interface Write {
  toMs: number;
  isDone: boolean;
}

export interface WriteProbe {
  stop(): Promise<void>;
  /** When writes worked again, several in a row, after some since a moment had failed or taken too long; undefined: none failed. */
  backMs(sinceMs: number): number | undefined;
  /** When writes failed or took too long: unix milliseconds. */
  failedMs(): number[];
}

const everyMs = 100;
/** A write that takes longer counts as failed. */
const slowMs = 2_000;
const inARow = 5;

/** Starts the probe of a database with the table `write_probes`. */
export function startWriteProbe(url: string): WriteProbe {
  const writes: Write[] = [];
  const pending = new Set<Promise<void>>();
  let isStopped = false;

  async function write(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: slowMs,
      query_timeout: slowMs,
    });
    client.on('error', () => {});
    const isDone = await client
      .connect()
      .then(() => client.query('insert into write_probes default values'))
      .then(
        () => true,
        () => false,
      );
    writes.push({ toMs: Date.now(), isDone });
    await client.end().catch(() => undefined);
  }

  const loop = (async () => {
    while (!isStopped) {
      const one = write().finally(() => pending.delete(one));
      pending.add(one);
      await sleep(everyMs);
      // a database that is away for long gets no more connections than this
      while (pending.size >= 20) await Promise.race(pending);
    }
  })();

  return {
    async stop() {
      isStopped = true;
      await loop;
      await Promise.all(pending);
    },
    backMs(sinceMs) {
      const firstFailed = writes.findIndex(({ isDone, toMs }) => !isDone && toMs >= sinceMs);
      const begin = writes.findIndex(
        (_, index) =>
          index > firstFailed &&
          index + inARow <= writes.length &&
          writes.slice(index, index + inARow).every(({ isDone }) => isDone),
      );
      return firstFailed < 0 ? undefined : writes[begin]?.toMs;
    },
    failedMs: () => writes.flatMap(({ toMs, isDone }) => (isDone ? [] : [toMs])),
  };
}
