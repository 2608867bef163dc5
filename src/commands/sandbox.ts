// The sandbox as a child process: started with the gateway, on the same ports each time, gone with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface SandboxUrls {
  cloudApiUrl: string;
  googleUrl: string;
  receiverUrl: string;
}

export interface RunningSandbox {
  urls: SandboxUrls;
  /** Resolves if it ends by itself. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));
const readyWithinMs = 10_000;
const stopWithinMs = 3_000;
/** A sandbox whose gateway was killed ends within this, and frees its ports. */
const portsFreeWithinMs = 3_000;

type Ports = [cloudApi: number, google: number, receiver: number];

async function launch(directory: string, ports: Ports): Promise<RunningSandbox> {
  const [cloudApi, google, receiver] = ports.map(String) as [string, string, string];
  const args = [
    '--dir',
    directory,
    '--cloud-api-port',
    cloudApi,
    '--google-port',
    google,
    '--receiver-port',
    receiver,
  ];
  // its own group: Ctrl-C reaches the gateway, which stops the sandbox last; the pipe's end stops it if we are killed
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr.on('data', (bytes) => {
    said = `${said}${bytes}`.slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ended.then(() => undefined),
    sleep(readyWithinMs, undefined, { ref: false }),
  ]);
  if (line === undefined) {
    child.kill('SIGKILL');
    throw new Error(`The sandbox did not start. It said: ${said.trim() || 'nothing'}`);
  }
  const urls = JSON.parse(line) as { cloudApi: string; google: string; receiver: string };
  return {
    urls: { cloudApiUrl: urls.cloudApi, googleUrl: urls.google, receiverUrl: urls.receiver },
    ended,
    stop: () => stop(child, ended),
  };
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await ended;
  clearTimeout(kill);
}

async function knownPorts(file: string): Promise<Ports | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Ports;
  } catch {
    return undefined;
  }
}

/**
 * Starts the sandbox with its state in `directory`: on the ports of the last start, so that addresses kept in the
 * database stay right, or, where others took them meanwhile, on free ones.
 */
export async function startSandbox(directory: string): Promise<RunningSandbox> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'ports.json');
  const known = await knownPorts(file);
  const until = performance.now() + portsFreeWithinMs;
  while (known && performance.now() < until) {
    const running = await launch(directory, known).catch(() => undefined);
    if (running) return running;
    await sleep(200);
  }
  const running = await launch(directory, [0, 0, 0]);
  const ports = Object.values(running.urls).map((url) => Number(new URL(url).port));
  await writeFile(file, JSON.stringify(ports));
  return running;
}
