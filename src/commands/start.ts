// `start`: the gateway in this process, with the sandbox and the demo account, or for production.
import { join } from 'node:path';
import { gatewaySettings } from '../../demo/gateway-settings.ts';
import { googleClient } from '../../demo/seed.ts';
import { type Log, openLog } from '../base/log.ts';
import { openLogFile } from '../base/log-file.ts';
import { type Config, readConfig } from '../config.ts';
import { durabilityProblems, readDurability } from '../db/durability.ts';
import { makeDataDir } from '../db/embedded/folders.ts';
import { makePartitions } from '../db/partitions.ts';
import { openDatabase } from '../open-database.ts';
import { databaseOf } from './database.ts';
import { prepareDemo, requireDemoDatabase } from './demo.ts';
import { errorText } from './exit-codes.ts';
import { openUnlessAborted } from './interruption.ts';
import { note } from './output.ts';
import { type RunningSandbox, startSandbox } from './sandbox.ts';
import { type Running, stopAll, stopOnSignals } from './shutdown.ts';

/** Whether to start a sandbox, or a running one that `stop` leaves running (`npm run dev`). */
type Sandbox = boolean | RunningSandbox;

/** The log: a file with the sandbox, so that the printed commands stay visible; otherwise standard output. */
async function openOwnLog(level: string, dataDir: string, sandbox: boolean): Promise<Log> {
  await makeDataDir(dataDir);
  if (!sandbox) return openLog(level);
  return openLog(level, openLogFile(join(dataDir, 'gateway.log')));
}

function startOwnSandbox({ dataDir }: Config, log: Log): Promise<RunningSandbox> {
  note('Starting the sandbox: messaging platform, calendars, webhook receiver …');
  return startSandbox(join(dataDir, 'sandbox'), { log, print: note });
}

/** Starts the parts in order and records each in `running`. Throws between two parts when `signal` aborts. */
async function open(
  settings: Config,
  options: { sandbox: Sandbox; running: Running; signal: AbortSignal; log: Log },
): Promise<void> {
  const { running, signal, log } = options;
  note('Starting the database …');
  // a migration may take longer than a shutdown
  running.database = await openUnlessAborted(signal, (onServer) =>
    openDatabase({ ...databaseOf(settings), onProgress: note, onServer }, log, 'migrate'),
  );
  // the first rows would begin the default partition, and the rest of their month would follow
  await makePartitions(running.database.db, settings.partitionBy).catch((err: unknown) =>
    log.error({ work: 'partitions', err }, 'work.failed'),
  );
  for (const problem of durabilityProblems(await readDurability(running.database.db)))
    log.warn({ problem }, 'database.not_durable');
  signal.throwIfAborted();
  if (options.sandbox) {
    await requireDemoDatabase(settings, running.database.db);
    const starting = options.sandbox === true ? startOwnSandbox(settings, log) : options.sandbox;
    // the sandbox's process starts while this one loads the gateway
    [running.sandbox] = await Promise.all([starting, import('../app.ts')]);
    signal.throwIfAborted();
  }
  const config = running.sandbox
    ? readConfig(undefined, gatewaySettings(running.sandbox.urls, googleClient))
    : settings;
  const { openApp } = await import('../app.ts');
  running.app = await openApp(config, running.database, {
    log,
    // ends in order; a service manager's next start is rejected with the reason
    onOutdated: () => process.kill(process.pid, 'SIGTERM'),
    ...(running.sandbox ? { sandbox: running.sandbox.urls } : {}),
  });
  signal.throwIfAborted();
  const { url } = running.app;
  if (running.sandbox)
    await prepareDemo(config, running.app, running.sandbox.urls, { print: note, log, signal });
  else note(`The gateway answers at ${url}. API reference: ${url}/docs.`);
}

const defaultDelayMs = 5_000;

/** How long shutdown is announced to load balancers: 0 on a terminal, in the sandbox, and for workers. */
function shutdownDelayMs({ shutdownDelayMs: given, role }: Config, sandbox: boolean): number {
  if (given !== null) return given;
  const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  return sandbox || isTerminal || role === 'worker' ? 0 : defaultDelayMs;
}

/** Starts everything and runs until a signal. If a part cannot start, stops the others and rejects. */
export async function start(options: { sandbox: Sandbox }): Promise<void> {
  const began = performance.now();
  const settings = readConfig();
  const log = await openOwnLog(settings.logLevel, settings.dataDir, options.sandbox !== false);
  for (const { name, setting } of settings.misspelt) log.warn({ name, setting }, 'settings.misspelt');
  const running: Running = { starting: Promise.resolve() };
  const cancel = new AbortController();
  stopOnSignals(running, cancel, log, shutdownDelayMs(settings, options.sandbox !== false));
  running.starting = open(settings, { ...options, running, signal: cancel.signal, log });
  try {
    await running.starting;
  } catch (error) {
    // the signal handler stops what was started
    if (cancel.signal.aborted) return;
    log.debug({ err: error }, 'process.start_failed');
    log.error({ reason: errorText(error) }, 'process.start_failed');
    await stopAll(running, log).catch(() => undefined);
    throw error;
  }
  log.info({ url: running.app?.url, ms: Math.round(performance.now() - began) }, 'process.ready');
  // free the memory of the start (measured: from 204 to 148 MB resident); `gc` exists with --expose-gc, which `npm start` sets
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
