// The gateways of a campaign, restarted as a service manager would, with a record of how each process ended.
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outage } from './evidence.ts';
import { type GatewayProcess, startGatewayProcess } from './processes.ts';

export interface Gateways {
  urls: string[];
  startAll(): Promise<void>;
  /** SIGKILL, then a start after `downMs`. `dieAt`: the point at which the new process dies. */
  kill(index: number, options?: { downMs?: number; dieAt?: string }): Promise<void>;
  /**
   * Resolves when the gateway has died at its point and the next process, which dies at `next`, is ready.
   * Rejects if it does not die in time.
   */
  dies(index: number, withinMs: number, next?: string): Promise<void>;
  /** SIGTERM, then a start: an orderly restart, which may cause no violation. `checkout`: another version, from now on. */
  restart(index: number, checkout?: string): Promise<void>;
  /** SIGTERM to all; resolves when all have ended. */
  stopAll(): Promise<void>;
  /** Kills since the start, and gateways that exited by themselves. */
  outages: Outage[];
  unexpectedExits: string[];
  restarts(): number;
  /** Copies the logs to `folder`, to be read after the end. */
  keepLogs(folder: string): Promise<void>;
  close(): Promise<void>;
}

interface Slot {
  port: number;
  /** The folder of the program; undefined: this checkout. */
  checkout: string | undefined;
  process: GatewayProcess | undefined;
  /** It must not run. */
  isOff: boolean;
  /** The point at which the next process dies; used once. */
  dieAt: string | undefined;
  downMs: number;
  /** It died at its point before it was ready. */
  diedEarly: boolean;
  /** Resolves when the current process is ready. */
  up: Promise<void>;
}

/** With PostgreSQL out of reach again and again, on a busy machine. */
const readyWithinMs = 120_000;

/** Opens one gateway per port; `settings` are their environment. */
export function openGateways(
  ports: number[],
  folder: string,
  settings: Record<string, string>,
  checkout?: string,
): Gateways {
  const outages: Outage[] = [];
  const unexpectedExits: string[] = [];
  let starts = 0;
  const logOf = (index: number) => join(folder, `gateway-${index}.log`);
  const slots: Slot[] = ports.map((port) => ({
    port,
    checkout,
    process: undefined,
    isOff: true,
    dieAt: undefined,
    downMs: 0,
    diedEarly: false,
    up: Promise.resolve(),
  }));
  const slotOf = (index: number) => slots[index] as Slot;

  /** Starts processes until one is ready: a start without a database fails, and a service manager tries again. */
  async function start(slot: Slot, index: number): Promise<void> {
    const until = performance.now() + readyWithinMs;
    for (;;) {
      const { dieAt } = slot;
      slot.dieAt = undefined;
      starts += 1;
      const child = startGatewayProcess(
        { ...settings, PORT: String(slot.port), DATA_DIR: join(folder, `data-${index}`) },
        { logFile: logOf(index), checkout: slot.checkout, ...(dieAt === undefined ? {} : { dieAt }) },
      );
      slot.process = child;
      try {
        await child.ready;
        void child.ended.then((end) => ended(slot, index, child, end));
        return;
      } catch (error) {
        const { signal } = await child.ended;
        if (signal === 'SIGKILL') {
          note();
          slot.diedEarly ||= dieAt !== undefined;
        } else if (performance.now() > until) throw error;
        if (slot.isOff) return;
        await sleep(100);
      }
    }
  }

  const note = () => {
    outages.push({ kind: 'kill', fromMs: Date.now(), toMs: Date.now() });
  };

  function ended(
    slot: Slot,
    index: number,
    child: GatewayProcess,
    { code, signal }: { code: number | null; signal: NodeJS.Signals | null },
  ): void {
    if (signal === 'SIGKILL') note();
    else if (code !== 0 || !slot.isOff) unexpectedExits.push(`gateway ${index} ended with ${signal ?? code}`);
    if (slot.isOff || slot.process !== child) return;
    slot.up = sleep(slot.downMs).then(() => (slot.isOff ? undefined : start(slot, index)));
    slot.up.catch((error: unknown) =>
      unexpectedExits.push(`gateway ${index} could not be started: ${String(error)}`),
    );
  }

  async function stop(index: number): Promise<void> {
    const slot = slotOf(index);
    slot.isOff = true;
    await slot.up.catch(() => undefined);
    slot.process?.kill('SIGTERM');
    await slot.process?.ended;
  }

  async function turnOn(index: number): Promise<void> {
    const slot = slotOf(index);
    slot.isOff = false;
    slot.up = start(slot, index);
    await slot.up;
  }

  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    outages,
    unexpectedExits,
    restarts: () => starts - ports.length,
    async startAll() {
      // one after the other: the first one creates the month's partitions
      for (const index of ports.keys()) await turnOn(index);
    },
    async kill(index, { downMs = 0, dieAt } = {}) {
      const slot = slotOf(index);
      await slot.up;
      slot.downMs = downMs;
      slot.dieAt = dieAt;
      slot.diedEarly = false;
      const victim = slot.process;
      victim?.kill('SIGKILL');
      await victim?.ended;
    },
    async dies(index, withinMs, next) {
      const slot = slotOf(index);
      await slot.up;
      // it died before it was ready, so the next process has no point yet
      if (slot.diedEarly) return this.kill(index, next === undefined ? {} : { dieAt: next });
      const victim = slot.process;
      slot.dieAt = next;
      const end = await Promise.race([victim?.ended, sleep(withinMs, undefined, { ref: false })]);
      if (end?.signal !== 'SIGKILL') throw new Error(`it did not die: ${JSON.stringify(end ?? 'it runs')}`);
      await slot.up;
    },
    async restart(index, other) {
      await stop(index);
      if (other !== undefined) slotOf(index).checkout = other;
      await turnOn(index);
    },
    async stopAll() {
      await Promise.all(ports.map((_, index) => stop(index)));
    },
    async keepLogs(to) {
      await mkdir(to, { recursive: true });
      for (const index of ports.keys())
        await copyFile(logOf(index), join(to, `gateway-${index}.log`)).catch(() => undefined);
    },
    async close() {
      for (const slot of slots) slot.isOff = true;
      for (const slot of slots) {
        slot.process?.kill('SIGKILL');
        await slot.process?.ended;
      }
    },
  };
}
