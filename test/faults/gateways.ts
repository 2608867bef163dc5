// The gateways of a scene, kept alive as a service manager would: one that dies is started again; who died of what is kept.
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Break } from './evidence.ts';
import { type GatewayProcess, startGatewayProcess } from './processes.ts';

export interface Gateways {
  urls: string[];
  startAll(): Promise<void>;
  /** SIGKILL; started again after `downMs`. `dieAt`: the point at which the next one shall die by itself. */
  kill(index: number, options?: { downMs?: number; dieAt?: string }): Promise<void>;
  /**
   * Resolves when the gateway, told to die at a point, has done so and its follower, told to die at `next`, is ready;
   * rejects if it does not die in time.
   */
  dies(index: number, withinMs: number, next?: string): Promise<void>;
  /** SIGTERM, and start again: nothing may come of it. */
  restart(index: number): Promise<void>;
  /** SIGTERM to all; resolves when all have ended. */
  stopAll(): Promise<void>;
  /** Deaths by SIGKILL since the start, and gateways that ended by themselves. */
  breaks: Break[];
  selfDeaths: string[];
  restarts(): number;
  /** Keeps the logs where they can be read after the end. */
  keepLogs(folder: string): Promise<void>;
  close(): Promise<void>;
}

interface Slot {
  port: number;
  process: GatewayProcess | undefined;
  /** Nothing of it is to run. */
  isOff: boolean;
  /** What it shall die of; asked for once, by the next start. */
  dieAt: string | undefined;
  downMs: number;
  /** It came to the point that it was told before it was ready. */
  diedEarly: boolean;
  /** Ends when the process that runs now is ready. */
  up: Promise<void>;
}

const readyWithinMs = 30_000;

/** Opens a gateway a port; `settings` are the environment of all. */
export function openGateways(ports: number[], folder: string, settings: Record<string, string>): Gateways {
  const breaks: Break[] = [];
  const selfDeaths: string[] = [];
  let starts = 0;
  const logOf = (index: number) => join(folder, `gateway-${index}.log`);
  const slots: Slot[] = ports.map((port) => ({
    port,
    process: undefined,
    isOff: true,
    dieAt: undefined,
    downMs: 0,
    diedEarly: false,
    up: Promise.resolve(),
  }));
  const slotOf = (index: number) => slots[index] as Slot;

  /** Starts until one is ready: a start that meets no database ends, and its manager starts it anew. */
  async function start(slot: Slot, index: number): Promise<void> {
    const until = performance.now() + readyWithinMs;
    for (;;) {
      const { dieAt } = slot;
      slot.dieAt = undefined;
      starts += 1;
      const child = startGatewayProcess(
        { ...settings, PORT: String(slot.port), DATA_DIR: join(folder, `data-${index}`) },
        { logFile: logOf(index), ...(dieAt === undefined ? {} : { dieAt }) },
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
    breaks.push({ what: 'kill', fromMs: Date.now(), toMs: Date.now() });
  };

  function ended(
    slot: Slot,
    index: number,
    child: GatewayProcess,
    { code, signal }: { code: number | null; signal: NodeJS.Signals | null },
  ): void {
    if (signal === 'SIGKILL') note();
    else if (code !== 0 || !slot.isOff) selfDeaths.push(`gateway ${index} ended with ${signal ?? code}`);
    if (slot.isOff || slot.process !== child) return;
    slot.up = sleep(slot.downMs).then(() => (slot.isOff ? undefined : start(slot, index)));
    slot.up.catch((error: unknown) =>
      selfDeaths.push(`gateway ${index} could not be started: ${String(error)}`),
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
    breaks,
    selfDeaths,
    restarts: () => starts - ports.length,
    async startAll() {
      // one after the other, so that one of them makes the first month's tables
      for (const index of ports.keys()) await turnOn(index);
    },
    async kill(index, { downMs = 0, dieAt } = {}) {
      const slot = slotOf(index);
      await slot.up;
      slot.downMs = downMs;
      slot.dieAt = dieAt;
      slot.diedEarly = false;
      const dying = slot.process;
      dying?.kill('SIGKILL');
      await dying?.ended;
    },
    async dies(index, withinMs, next) {
      const slot = slotOf(index);
      await slot.up;
      // it came to its point before it was ready: its follower was told nothing yet
      if (slot.diedEarly) return this.kill(index, next === undefined ? {} : { dieAt: next });
      const dying = slot.process;
      slot.dieAt = next;
      const end = await Promise.race([dying?.ended, sleep(withinMs, undefined, { ref: false })]);
      if (end?.signal !== 'SIGKILL') throw new Error(`it did not die: ${JSON.stringify(end ?? 'it runs')}`);
      await slot.up;
    },
    async restart(index) {
      await stop(index);
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
