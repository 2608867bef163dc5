// `start`: the gateway in this process, with the sandbox and its demonstration beside it or for real use.
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { googleClient } from '../../demo/seed.ts';
import { type App, databaseOf, openApp } from '../app.ts';
import { type Log, openLog } from '../base/log.ts';
import { readConfig } from '../config.ts';
import { type OpenDatabase, openDatabase } from '../db/open-database.ts';
import { prepareDemo } from './demo.ts';
import { type RunningSandbox, startSandbox } from './sandbox.ts';

/** What is running, in the order of its start. */
interface Running {
  database?: OpenDatabase;
  sandbox?: RunningSandbox;
  app?: App;
}

const stopWithinMs = 9_500;

/** Says what happens to whoever started us; standard output is for what they may want to keep. */
const tell = (line: string) => process.stderr.write(`${line}\n`);

async function stopAll(running: Running): Promise<void> {
  await running.app?.close();
  await running.sandbox?.stop();
  await running.database?.close();
}

/** Ends everything at the first signal; at the second, or when that takes too long, at once. */
function endOnSignals(running: Running, log: Log): void {
  let ending = false;
  const end = async (signal: NodeJS.Signals) => {
    if (ending) {
      tell('Stopping at once.');
      process.exit(1);
    }
    ending = true;
    tell(`\nStopping (${signal}). Press Ctrl-C again to stop at once.`);
    const late = setTimeout(() => {
      log.error('process.stop_late');
      process.exit(1);
    }, stopWithinMs);
    await stopAll(running).catch((error) => log.error({ err: error }, 'process.stop_failed'));
    clearTimeout(late);
    process.exit(0);
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

/** The sandbox's addresses as settings: the gateway speaks the real protocols, to other hosts. */
function sandboxSettings({ urls }: RunningSandbox): Record<string, string> {
  return {
    MESSAGING_API_URL: urls.cloudApiUrl,
    GOOGLE_CLIENT_ID: googleClient.id,
    GOOGLE_CLIENT_SECRET: googleClient.secret,
    GOOGLE_API_URL: urls.googleUrl,
    GOOGLE_AUTH_URL: `${urls.googleUrl}/o/oauth2/v2/auth`,
    GOOGLE_TOKEN_URL: `${urls.googleUrl}/token`,
    GOOGLE_REVOKE_URL: `${urls.googleUrl}/revoke`,
    ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8,::1/128',
    ALLOW_HTTP_RECEIVERS: 'true',
  };
}

/** Logs go to a file in the sandbox, so that its lines to copy stay in sight; for real use they go to standard output. */
async function openOwnLog(level: string, dataDir: string, sandbox: boolean): Promise<Log> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (!sandbox) return openLog(level);
  return openLog(level, createWriteStream(join(dataDir, 'gateway.log'), { flags: 'a', mode: 0o600 }));
}

/** Starts everything and stays until a signal. Rejects, having stopped what was started, if something cannot start. */
export async function start(options: { sandbox: boolean }): Promise<void> {
  const began = performance.now();
  const settings = readConfig();
  const log = await openOwnLog(settings.logLevel, settings.dataDir, options.sandbox);
  const running: Running = {};
  endOnSignals(running, log);
  try {
    tell('Starting the database …');
    running.database = await openDatabase(databaseOf(settings), log);
    if (options.sandbox) {
      tell('Starting the sandbox: messaging platform, Google, webhook receiver …');
      running.sandbox = await startSandbox(join(settings.dataDir, 'sandbox'));
    }
    const config = running.sandbox ? readConfig(undefined, sandboxSettings(running.sandbox)) : settings;
    running.app = await openApp(config, running.database, { log });
    if (running.sandbox) await prepareDemo(config, running.app, running.sandbox.urls, tell);
    else
      tell(
        `The gateway answers at ${running.app.url}. Its interface is described at ${running.app.url}/docs.`,
      );
    log.info({ url: running.app.url, ms: Math.round(performance.now() - began) }, 'process.ready');
    running.sandbox?.ended.then(() => log.warn('sandbox.ended'));
  } catch (error) {
    await stopAll(running).catch(() => undefined);
    throw error;
  }
}
