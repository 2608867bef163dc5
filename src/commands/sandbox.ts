// The sandbox as a child process: started and stopped with the gateway, and restarted on the same ports if it exits.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '../base/log.ts';
import type { SandboxUrls } from '../sandbox-access/control.ts';

export interface RunningSandbox {
  urls: SandboxUrls;
  /** Stops it for good. */
  stop(): Promise<void>;
}

export interface SandboxDeps {
  log: Log;
  print: (line: string) => void;
}

const program = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));
const readyWithinMs = 10_000;
/** Its own shutdown takes up to 1.5 seconds. */
const stopWithinMs = 2_000;
/** A sandbox whose gateway was killed exits and frees its ports within this time. */
const portRetryMs = 2_500;
const firstGapMs = 200;
const maxGapMs = 10_000;
/** If the sandbox exits after running this long, restart it without a delay. */
const stableAfterMs = 10_000;

type Ports = [cloudApi: number, google: number, receiver: number];

/** One process of the sandbox. */
interface SandboxProcess {
  child: ChildProcess;
  urls: SandboxUrls;
  /** Resolves with its exit code or signal. */
  ended: Promise<string>;
}

async function launch(directory: string, ports: Ports): Promise<SandboxProcess> {
  const [cloudApi, google, receiver] = ports.map(String) as [string, string, string];
  const args = ['--dir', directory];
  args.push('--cloud-api-port', cloudApi, '--google-port', google, '--receiver-port', receiver);
  // in its own process group, so that Ctrl-C reaches only the gateway; if the gateway is killed, the closed pipe stops the sandbox
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let errorOutput = '';
  child.stderr.on('data', (bytes) => {
    errorOutput = `${errorOutput}${bytes}`.slice(-4_000);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ended.then(() => undefined),
    sleep(readyWithinMs, undefined, { ref: false }),
  ]);
  if (line === undefined) {
    child.kill('SIGKILL');
    throw new Error(`The sandbox did not start. Its error output: ${errorOutput.trim() || 'nothing'}`);
  }
  const urls = JSON.parse(line) as { cloudApi: string; google: string; receiver: string };
  return {
    child,
    urls: { cloudApiUrl: urls.cloudApi, googleUrl: urls.google, receiverUrl: urls.receiver },
    ended,
  };
}

async function stop({ child, ended }: SandboxProcess): Promise<void> {
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await ended;
  clearTimeout(kill);
}

const portsOf = (urls: SandboxUrls) =>
  [urls.cloudApiUrl, urls.googleUrl, urls.receiverUrl].map((url) => Number(new URL(url).port)) as Ports;

function knownPorts(file: string): Ports | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Ports;
  } catch {
    return undefined;
  }
}

/** Starts on the ports of the last start, because the database contains these addresses; on free ports if they are in use. */
async function startOnKnownPorts(directory: string): Promise<SandboxProcess> {
  // synchronous: the process must have been started when this function returns its promise
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
  const file = join(directory, 'ports.json');
  const known = knownPorts(file);
  const until = performance.now() + portRetryMs;
  while (known && performance.now() < until) {
    const current = await launch(directory, known).catch(() => undefined);
    if (current) return current;
    await sleep(firstGapMs);
  }
  const current = await launch(directory, [0, 0, 0]);
  await writeFile(file, JSON.stringify(portsOf(current.urls)));
  return current;
}

/**
 * Starts the sandbox with its state in `directory`. If it exits, restarts it with the same addresses and state. The gateway keeps
 * running, as in an outage of the real platforms.
 */
export async function startSandbox(directory: string, { log, print }: SandboxDeps): Promise<RunningSandbox> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let current = await startOnKnownPorts(directory);
  const { urls } = current;

  async function restart(): Promise<SandboxProcess | undefined> {
    for (let gapMs = firstGapMs; !signal.aborted; gapMs = Math.min(gapMs * 2, maxGapMs)) {
      await sleep(gapMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return undefined;
      try {
        return await launch(directory, portsOf(urls));
      } catch (error) {
        log.error({ err: error }, 'sandbox.not_restarted');
        print(`The sandbox could not be restarted; retrying. ${(error as Error).message.split('\n')[0]}`);
      }
    }
    return undefined;
  }

  async function supervise(): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      const how = await current.ended;
      if (signal.aborted) return;
      log.error({ how }, 'sandbox.ended');
      print(
        `The sandbox exited (${how}): the messaging platform, the calendars and the receiver are unavailable. Restarting it …`,
      );
      if (performance.now() - began < stableAfterMs)
        await sleep(1_000, undefined, { signal, ref: false }).catch(() => undefined);
      const next = await restart();
      if (!next) return;
      current = next;
      log.warn('sandbox.restarted');
      print('The sandbox is running again, with the same addresses and state.');
    }
  }

  const supervision = supervise();
  return {
    urls,
    async stop() {
      stopping.abort();
      await stop(current);
      await supervision;
      // a process that was started at the same moment
      await stop(current);
    },
  };
}
