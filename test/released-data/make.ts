// Makes a data directory with the program of another checkout, rows in every table and state, and packs it for the test beside it.
//   git worktree add /tmp/released <commit> && (cd /tmp/released && npm ci)
//   node test/released-data/make.ts /tmp/released test/released-data/<last migration>.tar.br
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { gatewayClient } from '../harness/gateway-client.ts';
import { readEverything } from './everything.ts';
import { type Demo, fillAccount, fillAppointments, fillMessages, replayAll, upload } from './fill.ts';
import { pack } from './pack.ts';

const [checkout = '', out = ''] = process.argv.slice(2).map((path) => resolve(path));
const folder = await mkdtemp(join(tmpdir(), 'released-'));
await chmod(folder, 0o711);
const dataDir = join(folder, 'data');
const settings = { PATH: process.env.PATH ?? '', HOME: folder, PORT: '0', DATA_DIR: dataDir };

/** Starts the released gateway and resolves when it is ready; `end` sends the signal and waits. */
async function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['src/cli.ts', 'start', ...args], {
    cwd: checkout,
    env: { ...settings, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      said += bytes;
    });
  }
  while (!/Ctrl-C stops everything|API reference:/.test(said)) {
    if (child.exitCode !== null) throw new Error(said);
    await sleep(50);
  }
  const url = /gateway answers at\s+(http:\/\/[\d.]+:\d+)/.exec(said)?.[1] ?? '';
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await once(child, 'exit');
  };
  return { url, end };
}

/** Leaves out what no start needs: room in tables, and the log's recycled segments. */
async function shrink(): Promise<void> {
  const { startEmbeddedPostgres } = (await import(
    pathToFileURL(join(checkout, 'src/db/embedded/start.ts')).href
  )) as typeof import('../../src/db/embedded/start.ts');
  const log = { info() {}, warn() {}, error() {} };
  const settings = { autovacuum: 'off', wal_recycle: 'off', min_wal_size: '32MB' };
  const server = await startEmbeddedPostgres({ dataDir, log, settings });
  // earlier versions had no other role
  const { administrator = server.connection } = server as Partial<typeof server>;
  let segment = '';
  for (const database of ['postgres', 'template1', 'gateway']) {
    const client = new pg.Client({ ...administrator, database });
    await client.connect();
    await client.query('vacuum (full, freeze)');
    if (database === 'gateway') {
      await client.query('checkpoint');
      await client.query('select pg_switch_wal()');
      await client.query('checkpoint');
      segment = (await client.query('select pg_walfile_name(pg_current_wal_lsn()) as name')).rows[0].name;
    }
    await client.end();
  }
  await server.stop();
  const wal = join(dataDir, 'postgres/pg_wal');
  for (const name of await readdir(wal))
    if (/^[0-9A-F]{24}$/.test(name) && name !== segment) await rm(join(wal, name));
}

const running = await start(['--sandbox']);
const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo;
const call = gatewayClient(running.url, demo.apiKey);
const text = new TextEncoder().encode('Terms and conditions.\n');
await upload(running.url, demo.apiKey, 'terms.txt', 'text/plain', text);
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const mediaId = await upload(running.url, demo.apiKey, 'dot.png', 'image/png', new Uint8Array(png));
await fillAccount(call);
await fillMessages(call, demo, mediaId);
await replayAll(call);
await fillAppointments(call, demo);
execFileSync(process.execPath, ['src/cli.ts', 'account', 'create', 'Another account'], {
  cwd: checkout,
  env: { ...settings },
});
await running.end('SIGKILL');
// in this role nothing that waits is done, so that what is read now stays true
const reading = await start(['--no-sandbox'], { ROLE: 'api' });
const everything = await readEverything(reading.url, demo.apiKey);
await reading.end('SIGTERM');
await shrink();
await writeFile(join(folder, 'expected.json'), JSON.stringify({ apiKey: demo.apiKey, answers: everything }));
for (const name of ['postgres.log', 'gateway.log']) await rm(join(dataDir, name), { force: true });
await pack(folder, ['expected.json', 'data'], out);
await rm(folder, { recursive: true });
console.log(
  `${basename(out)}: ${(await readFile(out)).length} bytes, ${Object.keys(everything).length} answers`,
);
