// The sandbox as a child process: started and stopped with the gateway, on the same ports, restarted if it dies.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '../base/log.ts';

export interface SandboxUrls {
  cloudApiUrl: string;
  googleUrl: string;
  receiverUrl: string;
}

export interface RunningSandbox {
  urls: SandboxUrls;
  /** Ends it for good. */
  stop(): Promise<void>;
}

export interface SandboxDeps {
  log: Log;
  tell: (line: string) => void;
}

const program = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));
const readyWithinMs = 10_000;
/** It ends by itself within 1.5 seconds. */
const stopWithinMs = 2_000;
/** The ports of a sandbox whose gateway was killed are free after this, as it ends with its gateway. */
const portsFreeWithinMs = 2_500;
const firstGapMs = 200;
const longestGapMs = 10_000;
/** A sandbox that lived this long does not die of its start. */
const soundAfterMs = 10_000;

type Ports = [cloudApi: number, google: number, receiver: number];

/** One life of the sandbox. */
interface Life {
  child: ChildProcess;
  urls: SandboxUrls;
  /** How it ended: an exit code or a signal. */
  ended: Promise<string>;
}

async function launch(directory: string, ports: Ports): Promise<Life> {
  const [cloudApi, google, receiver] = ports.map(String) as [string, string, string];
  const args = ['--dir', directory];
  args.push('--cloud-api-port', cloudApi, '--google-port', google, '--receiver-port', receiver);
  // its own group: Ctrl-C reaches the gateway, which stops the sandbox last; the pipe's end stops it if we are killed
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr.on('data', (bytes) => {
    said = `${said}${bytes}`.slice(-4_000);
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
    throw new Error(`The sandbox did not start. It said: ${said.trim() || 'nothing'}`);
  }
  const urls = JSON.parse(line) as { cloudApi: string; google: string; receiver: string };
  return {
    child,
    urls: { cloudApiUrl: urls.cloudApi, googleUrl: urls.google, receiverUrl: urls.receiver },
    ended,
  };
}

async function stop({ child, ended }: Life): Promise<void> {
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

/** On the ports of the last start, so that addresses kept in the database stay right; on free ones where others took them. */
async function firstLife(directory: string): Promise<Life> {
  // without a wait: the process has to be started when this returns
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'ports.json');
  const known = knownPorts(file);
  const until = performance.now() + portsFreeWithinMs;
  while (known && performance.now() < until) {
    const life = await launch(directory, known).catch(() => undefined);
    if (life) return life;
    await sleep(firstGapMs);
  }
  const life = await launch(directory, [0, 0, 0]);
  await writeFile(file, JSON.stringify(portsOf(life.urls)));
  return life;
}

/**
 * Starts the sandbox with its state in `directory`. Restarts it with the same addresses and state when it ends by itself;
 * the gateway keeps running, as in an outage of the real platforms.
 */
export async function startSandbox(directory: string, { log, tell }: SandboxDeps): Promise<RunningSandbox> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let life = await firstLife(directory);
  const { urls } = life;

  async function nextLife(): Promise<Life | undefined> {
    for (let gapMs = firstGapMs; !signal.aborted; gapMs = Math.min(gapMs * 2, longestGapMs)) {
      await sleep(gapMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return undefined;
      try {
        return await launch(directory, portsOf(urls));
      } catch (error) {
        log.error({ err: error }, 'sandbox.not_restarted');
        tell(`The sandbox could not be restarted; retrying. ${(error as Error).message.split('\n')[0]}`);
      }
    }
    return undefined;
  }

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      const how = await life.ended;
      if (signal.aborted) return;
      log.error({ how }, 'sandbox.ended');
      tell(
        `The sandbox ended (${how}): the messaging platform, Google and the receiver are unavailable. Restarting it …`,
      );
      if (performance.now() - began < soundAfterMs)
        await sleep(1_000, undefined, { signal, ref: false }).catch(() => undefined);
      const next = await nextLife();
      if (!next) return;
      life = next;
      log.warn('sandbox.restarted');
      tell('The sandbox is running again, with the same addresses and state.');
    }
  }

  const kept = keep();
  return {
    urls,
    async stop() {
      stopping.abort();
      await stop(life);
      await kept;
      // a life that began in the same moment
      await stop(life);
    },
  };
}
