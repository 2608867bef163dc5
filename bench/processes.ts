// The processes of a benchmark: starts them, calls them by RPC, and ends them all.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RpcReply } from './child.ts';
import { cpuMs } from './cpu.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
let gatewayRoot = root;

/** Measures the gateway of another checkout, to compare two versions under the same load. */
export function measureCheckout(path: string): void {
  gatewayRoot = resolve(path);
}

/** A file of the measured checkout. */
export const checkoutFile = (path: string): string => join(gatewayRoot, path);

const stopWithinMs = 12_000;

export interface RunningProcess {
  pid: number;
  /** CPU milliseconds used so far; undefined if unknown. */
  cpuMs(): number | undefined;
  stop(): Promise<void>;
}

/** A child process that serves RPC requests. */
export interface RpcProcess extends RunningProcess {
  call<T>(name: string, input?: unknown): Promise<T>;
}

/** The flags that `npm start` gives Node, for every process of a benchmark. */
const usualFlags = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=64',
  '--heap-growing-percent=200',
  '--expose-gc',
];

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** An environment without the developer's settings. */
function plainEnvironment(settings: Record<string, string>): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), ...settings };
}

function track(child: ChildProcess): RunningProcess {
  running.add(child);
  const ended = once(child, 'exit').then(() => running.delete(child));
  return {
    pid: child.pid as number,
    cpuMs: () => cpuMs(child.pid as number),
    async stop() {
      if (!running.has(child)) return;
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await ended;
      clearTimeout(kill);
    },
  };
}

function callerOf(child: ChildProcess, name: string): RpcProcess['call'] {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let number = 0;
  child.on('message', (reply: RpcReply) => {
    const caller = waiting.get(reply.number);
    waiting.delete(reply.number);
    if (reply.error === undefined) caller?.resolve(reply.value as never);
    else caller?.reject(new Error(`${name}: ${reply.error}`));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended (${signal ?? code})`));
  });
  return (method, input) =>
    new Promise((resolve, reject) => {
      waiting.set(++number, { resolve, reject });
      child.send({ number, name: method, input });
    });
}

/** Starts a program of `bench/` that serves RPC requests. */
export function startRpcProcess(file: string, args: string[] = []): RpcProcess {
  const child = spawn(process.execPath, [...usualFlags, join(root, 'bench', file), ...args], {
    cwd: root,
    env: plainEnvironment({}),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  return { ...track(child), call: callerOf(child, file) };
}

export interface SandboxProcess extends RpcProcess {
  cloudApiUrl: string;
  googleUrl: string;
}

/** Starts the sandbox with a preload that records when each callback is posted. */
export async function startSandboxProcess(): Promise<SandboxProcess> {
  const preload = join(root, 'bench', 'callback-times.ts');
  const child = spawn(process.execPath, [...usualFlags, '--import', preload, join(root, 'sandbox/main.ts')], {
    cwd: root,
    env: plainEnvironment({}),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const running = track(child);
  const line = await firstLine(child, 'stdout', (lines) => (lines.startsWith('{') ? lines : undefined));
  const urls = JSON.parse(line) as { cloudApi: string; google: string };
  return {
    ...running,
    call: callerOf(child, 'sandbox'),
    cloudApiUrl: urls.cloudApi,
    googleUrl: urls.google,
  };
}

/** The first result of `wanted` for a line; rejects if the process ends without one. */
function firstLine(
  child: ChildProcess,
  from: 'stdout' | 'stderr',
  wanted: (line: string) => string | undefined,
): Promise<string> {
  const output: string[] = [];
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child[from] as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      output.push(line);
      const found = wanted(line);
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`it ended before it was ready: ${output.join('\n')}`)));
  });
}

export interface GatewayProcess extends RunningProcess {
  url: string;
  dataDir: string;
}

/** Starts the real program with its own embedded database in a temporary folder, which also contains its log. */
export async function startGatewayProcess(
  settings: Record<string, string>,
  nodeFlags: string[] = [],
): Promise<GatewayProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  // as root the database runs as another user, who must be able to enter
  await chmod(dataDir, 0o711);
  // a file, not a pipe: its reader would take turns with the gateway at each write
  const log = await open(join(dataDir, 'gateway.log'), 'w');
  const child = spawn(
    process.execPath,
    [...usualFlags, ...nodeFlags, checkoutFile('src/cli.ts'), 'start', '--no-sandbox'],
    {
      // not the checkout, which may contain the developer's .env
      cwd: dataDir,
      env: plainEnvironment({ PORT: '0', DATA_DIR: dataDir, SHUTDOWN_DELAY_SECONDS: '0', ...settings }),
      stdio: ['ignore', log.fd, 'pipe'],
    },
  );
  const running = track(child);
  await log.close();
  const addressIn = (line: string) => /answers at (http\S+?)\.?\s/.exec(line)?.[1];
  const url = await firstLine(child, 'stderr', addressIn).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  return {
    ...running,
    url,
    dataDir,
    async stop() {
      await running.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
