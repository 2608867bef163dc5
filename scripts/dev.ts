// `npm run dev`: runs the gateway and restarts it after each change of a source file; its database and its sandbox keep running.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeKey } from '../src/base/cipher.ts';
import { type RunningSandbox, startSandbox } from '../src/commands/sandbox.ts';
import { makeDataDir } from '../src/db/embedded/folders.ts';
import { startEmbeddedPostgres } from '../src/db/embedded/start.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const watched = ['src', 'sandbox', 'demo', 'migrations'];
/** Editors write a file in several steps. */
const settleMs = 50;
const stopWithinMs = 2_000;

const say = (line: string) => process.stderr.write(`[dev] ${line}\n`);

const dataDir = process.env.DATA_DIR ?? 'data/dev';
await makeDataDir(dataDir);
const databaseDir = join(dataDir, 'database');
await makeDataDir(databaseDir);
const keyFile = join(dataDir, 'dev-encryption-key');
if (!existsSync(keyFile)) writeFileSync(keyFile, makeKey(), { mode: 0o600 });

const log = {
  info() {},
  warn: (_fields: object, text: string) => say(text),
  error: (_fields: object, text: string) => say(text),
};
// TCP instead of a socket, so that one URL works for the gateway and for psql
const database = await startEmbeddedPostgres({ dataDir: databaseDir, log, overLoopback: true });
const { user, password = '', host, port, database: name } = database.connection;
const databaseUrl = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`;

const openSandbox = () => startSandbox(join(dataDir, 'sandbox'), { log: log as never, print: say });

function startGateway({ urls }: RunningSandbox): ChildProcess {
  const args = [join(root, 'scripts/dev-gateway.ts'), JSON.stringify(urls)];
  const child = spawn(process.execPath, args, {
    // its own process group: Ctrl-C reaches only this process, which stops the gateway before the database
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEYS: readFileSync(keyFile, 'utf8').trim(),
      SHUTDOWN_DELAY_SECONDS: '0',
      // a restart compiles the changed files alone
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
    },
  });
  child.once('exit', (code) => {
    if (code) say(`The gateway exited with ${code}. Change a file to start it again.`);
  });
  return child;
}

async function stopGateway(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const stopped = await Promise.race([exit.then(() => true), sleep(stopWithinMs, false, { ref: false })]);
  if (stopped) return;
  child.kill('SIGKILL');
  await exit;
}

let sandbox = await openSandbox();
let gateway = startGateway(sandbox);
let stopping = false;
let restarting: Promise<void> | undefined;
let changedAgain = false;
let sandboxChanged = false;

async function restart(file: string): Promise<void> {
  await sleep(settleMs);
  changedAgain = false;
  say(`${file} changed; restarting.`);
  await stopGateway(gateway);
  if (sandboxChanged) await sandbox.stop();
  if (stopping) return;
  if (sandboxChanged) sandbox = await openSandbox();
  sandboxChanged = false;
  gateway = startGateway(sandbox);
}

function onChange(file: string): void {
  if (stopping || !/\.(?:ts|js|sql|json)$/.test(file)) return;
  changedAgain = true;
  sandboxChanged ||= file.startsWith('sandbox');
  restarting ??= (async () => {
    while (changedAgain && !stopping) await restart(file);
  })().finally(() => {
    restarting = undefined;
  });
}

const watchers = watched.map((folder) =>
  watch(join(root, folder), { recursive: true }, (_event, file) => onChange(join(folder, String(file)))),
);

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  for (const watcher of watchers) watcher.close();
  await restarting;
  await stopGateway(gateway);
  await sandbox.stop();
  await database.stop();
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
say(`Watching ${watched.join(', ')}. Database: ${databaseUrl.replace(/:[^:@]+@/, ':…@')}`);
