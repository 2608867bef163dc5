// The processes of a benchmark: started, asked, and surely gone afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Reply } from './child.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const stopWithinMs = 12_000;

export interface Running {
  pid: number;
  stop(): Promise<void>;
}

/** A process that answers questions. */
export interface Asked extends Running {
  ask<T>(name: string, input?: unknown): Promise<T>;
}

/** The flags that `npm start` gives Node: every process of a benchmark has them. */
const usualFlags = ['--min-semi-space-size=16', '--max-semi-space-size=64', '--expose-gc'];

const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** No setting of whoever runs the benchmark reaches its processes. */
function plainEnvironment(settings: Record<string, string>): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), ...settings };
}

function watched(child: ChildProcess): Running {
  living.add(child);
  const ended = once(child, 'exit').then(() => living.delete(child));
  return {
    pid: child.pid as number,
    async stop() {
      if (!living.has(child)) return;
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await ended;
      clearTimeout(kill);
    },
  };
}

function questionsTo(child: ChildProcess, name: string): Asked['ask'] {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let number = 0;
  child.on('message', (reply: Reply) => {
    const asker = waiting.get(reply.number);
    waiting.delete(reply.number);
    if (reply.error === undefined) asker?.resolve(reply.value as never);
    else asker?.reject(new Error(`${name}: ${reply.error}`));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended (${signal ?? code})`));
  });
  return (question, input) =>
    new Promise((resolve, reject) => {
      waiting.set(++number, { resolve, reject });
      child.send({ number, name: question, input });
    });
}

/** Starts a program of `bench/` that answers questions. */
export function startAsked(file: string, args: string[] = []): Asked {
  const child = spawn(process.execPath, [...usualFlags, join(root, 'bench', file), ...args], {
    cwd: root,
    env: plainEnvironment({}),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  return { ...watched(child), ask: questionsTo(child, file) };
}

export interface SandboxProcess extends Asked {
  cloudApiUrl: string;
  googleUrl: string;
}

/** Starts the sandbox, which also notes when it posts each callback. */
export async function startSandboxProcess(): Promise<SandboxProcess> {
  const preload = join(root, 'bench', 'callback-times.ts');
  const child = spawn(process.execPath, [...usualFlags, '--import', preload, join(root, 'sandbox/main.ts')], {
    cwd: root,
    env: plainEnvironment({}),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const running = watched(child);
  const line = await firstLine(child, 'stdout', (said) => (said.startsWith('{') ? said : undefined));
  const urls = JSON.parse(line) as { cloudApi: string; google: string };
  return {
    ...running,
    ask: questionsTo(child, 'sandbox'),
    cloudApiUrl: urls.cloudApi,
    googleUrl: urls.google,
  };
}

/** The first line that `wanted` takes something from; rejects if the process ends without one. */
function firstLine(
  child: ChildProcess,
  from: 'stdout' | 'stderr',
  wanted: (line: string) => string | undefined,
): Promise<string> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child[from] as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      said.push(line);
      const found = wanted(line);
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`it ended before it was ready: ${said.join('\n')}`)));
  });
}

export interface GatewayProcess extends Running {
  url: string;
  dataDir: string;
}

/** Starts the real program on an embedded database of its own in a folder that goes with it; its log is a file there. */
export async function startGatewayProcess(
  settings: Record<string, string>,
  nodeFlags: string[] = [],
): Promise<GatewayProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  // as root the database runs as another user, who has to pass
  await chmod(dataDir, 0o711);
  const child = spawn(
    process.execPath,
    [...usualFlags, ...nodeFlags, join(root, 'src/cli.ts'), 'start', '--no-sandbox'],
    {
      // not the checkout, whose .env is the developer's
      cwd: dataDir,
      env: plainEnvironment({ PORT: '0', DATA_DIR: dataDir, SHUTDOWN_DELAY_SECONDS: '0', ...settings }),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const running = watched(child);
  child.stdout?.pipe(createWriteStream(join(dataDir, 'gateway.log')));
  const addressIn = (line: string) => /answers at (http\S+?)\.?\s/.exec(line)?.[1];
  const url = await firstLine(child, 'stderr', addressIn).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  return {
    pid: running.pid,
    url,
    dataDir,
    async stop() {
      await running.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
