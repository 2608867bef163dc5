// `start`: the gateway in this process, with the sandbox and its demonstration beside it or for real use.
import { join } from 'node:path';
import { gatewaySettings } from '../../demo/gateway-settings.ts';
import { googleClient } from '../../demo/seed.ts';
import { type Log, openLog } from '../base/log.ts';
import { openLogFile } from '../base/log-file.ts';
import { type Config, readConfig } from '../config.ts';
import { makeDataDir } from '../db/embedded-folders.ts';
import { openDatabase } from '../db/open-database.ts';
import { databaseOf } from './database.ts';
import { mustBeDemonstration, prepareDemo } from './demo.ts';
import { endOnSignals, type Running, stopAll, tell } from './ending.ts';
import { type RunningSandbox, startSandbox } from './sandbox.ts';

/** Whether to start a sandbox; or one that runs already, and that `stop` leaves running (`npm run dev`). */
type Sandbox = boolean | RunningSandbox;

/** Logs go to a file in the sandbox, so that its lines to copy stay in sight; for real use they go to standard output. */
async function openOwnLog(level: string, dataDir: string, sandbox: boolean): Promise<Log> {
  await makeDataDir(dataDir);
  if (!sandbox) return openLog(level);
  return openLog(level, openLogFile(join(dataDir, 'gateway.log')));
}

function startOwnSandbox({ dataDir }: Config, log: Log): Promise<RunningSandbox> {
  tell('Starting the sandbox: messaging platform, Google, webhook receiver …');
  return startSandbox(join(dataDir, 'sandbox'), { log, tell });
}

/** Starts one part after the other, each noted in `running`; stops between two when `signal` says so. */
async function open(
  settings: Config,
  options: { sandbox: Sandbox; running: Running; signal: AbortSignal; log: Log },
): Promise<void> {
  const { running, signal, log } = options;
  tell('Starting the database …');
  running.database = await openDatabase(databaseOf(settings), log, 'migrate');
  signal.throwIfAborted();
  if (options.sandbox) {
    await mustBeDemonstration(settings, running.database.db);
    const starting = options.sandbox === true ? startOwnSandbox(settings, log) : options.sandbox;
    // its process starts while this one loads the gateway
    [running.sandbox] = await Promise.all([starting, import('../app.ts')]);
    signal.throwIfAborted();
  }
  const config = running.sandbox
    ? readConfig(undefined, gatewaySettings(running.sandbox.urls, googleClient))
    : settings;
  const { openApp } = await import('../app.ts');
  running.app = await openApp(config, running.database, { log });
  signal.throwIfAborted();
  const { url } = running.app;
  if (running.sandbox) await prepareDemo(config, running.app, running.sandbox.urls, { tell, log, signal });
  else tell(`The gateway answers at ${url}. Its interface is described at ${url}/docs.`);
}

const defaultDelayMs = 5_000;

/** How long the end is announced: not to a person at a terminal, and not where nobody is sent requests by a proxy. */
function shutdownDelayMs({ shutdownDelayMs: given, role }: Config, sandbox: boolean): number {
  if (given !== null) return given;
  const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  return sandbox || isTerminal || role === 'worker' ? 0 : defaultDelayMs;
}

/** Starts everything and stays until a signal. Rejects, having stopped what was started, if something cannot start. */
export async function start(options: { sandbox: Sandbox }): Promise<void> {
  const began = performance.now();
  const settings = readConfig();
  const log = await openOwnLog(settings.logLevel, settings.dataDir, options.sandbox !== false);
  const running: Running = { starting: Promise.resolve() };
  const cancel = new AbortController();
  endOnSignals(running, cancel, log, shutdownDelayMs(settings, options.sandbox !== false));
  running.starting = open(settings, { ...options, running, signal: cancel.signal, log });
  try {
    await running.starting;
  } catch (error) {
    // whoever sent the signal stops what was started
    if (cancel.signal.aborted) return;
    log.debug({ err: error }, 'process.start_failed');
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'process.start_failed');
    await stopAll(running, log).catch(() => undefined);
    throw error;
  }
  log.info({ url: running.app?.url, ms: Math.round(performance.now() - began) }, 'process.ready');
  // what starting left behind (measured: 204 MB resident before, 148 after); there with --expose-gc, as `npm start` has it
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
