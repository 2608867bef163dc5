// The campaign's processes besides its database: gateways as users start them, and the sandbox. All end with the campaign.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Started {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
  /** How it ended; undefined while it runs. */
  end(): Ended | undefined;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function started(child: ChildProcess): Started {
  running.add(child);
  let end: Ended | undefined;
  const ended = new Promise<Ended>((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(child);
      end = { code, signal };
      resolve(end);
    });
  });
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended, end: () => end };
}

/** The first match of `wanted` in a line of `from`; rejects if the process ends without one. */
function firstMatch(child: ChildProcess, from: 'stdout' | 'stderr', wanted: RegExp): Promise<string> {
  const output: string[] = [];
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child[from] as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      output.push(line);
      const found = wanted.exec(line);
      if (found) resolve(found[1] ?? line);
    });
    child.once('exit', (code, signal) =>
      reject(new Error(`it ended (${signal ?? code}) before it was ready: ${output.join(' | ')}`)),
    );
  });
}

/** An environment without the developer's settings. */
const plainEnvironment = (settings: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  ...settings,
});

export interface GatewayProcess extends Started {
  /** Resolves when it serves requests; rejects if it ends before. */
  ready: Promise<unknown>;
}

/**
 * Starts `src/cli.ts start` of this checkout, or of another one; `dieAt` is the point (`NAME#N`) at which it dies, only in this
 * checkout.
 */
export function startGatewayProcess(
  settings: Record<string, string>,
  options: { dieAt?: string; logFile: string; checkout?: string | undefined },
): GatewayProcess {
  const { checkout = root } = options;
  const preload = checkout === root ? ['--import', join(root, 'test/faults/die-at-point.ts')] : [];
  const args = [
    '--min-semi-space-size=16',
    '--max-semi-space-size=64',
    '--heap-growing-percent=200',
    '--expose-gc',
    ...preload,
    join(checkout, 'src/cli.ts'),
    'start',
    '--no-sandbox',
  ];
  const child = spawn(process.execPath, args, {
    // not the checkout, which may contain the developer's .env
    cwd: dirname(options.logFile),
    env: plainEnvironment({
      SHUTDOWN_DELAY_SECONDS: '0',
      ...settings,
      ...(options.dieAt ? { DIE_AT: options.dieAt } : {}),
    }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => {});
  const log = createWriteStream(options.logFile, { flags: 'a' });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  child.once('close', () => log.end());
  const ready = firstMatch(child, 'stderr', /answers at (http\S+?)\.?\s/);
  ready.catch(() => undefined);
  return { ...started(child), ready };
}

export interface SandboxProcess extends Started {
  cloudApiUrl: string;
  googleUrl: string;
  receiverUrl: string;
}

/** Starts the sandbox in its own process, which outlives the gateways. */
export async function startSandboxProcess(): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [join(root, 'sandbox/main.ts')], {
    cwd: root,
    env: plainEnvironment({}),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const running = started(child);
  const { cloudApi, google, receiver } = JSON.parse(await firstMatch(child, 'stdout', /^({.*})$/)) as {
    cloudApi: string;
    google: string;
    receiver: string;
  };
  return { ...running, cloudApiUrl: cloudApi, googleUrl: google, receiverUrl: receiver };
}
