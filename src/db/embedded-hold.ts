// Takes the database server of one DATA_DIR: finds or starts it, removes a dead or stuck one, and takes its lock.
import { readFile, stat, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { administrator, programRole, readPasswords } from './embedded-cluster.ts';
import { type Address, type Guarding, takeGuard } from './embedded-guard.ts';
import { type Home, makeSocketFolder } from './embedded-home.ts';
import { giveTo } from './embedded-owner.ts';
import {
  endServer,
  isServerOf,
  launch,
  type Postmaster,
  readPostmaster,
  requirePasswords,
} from './embedded-postmaster.ts';
import type { Program } from './embedded-program.ts';
import { makeProgramRole } from './embedded-roles.ts';
import { type Reach, serverSettings, settingsText } from './embedded-settings.ts';

export interface EmbeddedLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** What holding needs to know. */
export interface Scene {
  home: Home;
  program: Program;
  dataDir: string;
  log: EmbeddedLog;
  overLoopback: boolean;
  /** Settings of postgresql.conf that win over ours. */
  settings: Record<string, string>;
  /** Set by the first `hold`, so that a restarted server has the same address. */
  reach: Reach | undefined;
}

/** A server that is up, and whose lock is ours for as long as `guard` stays connected. */
export interface Holding {
  server: Postmaster;
  guard: Client;
  address: Address;
  adopted: boolean;
}

const maxLaunches = 3;
const launchGapMs = 200;
/** So long may a server that we know to be alive say nothing before it is taken for stuck. */
const silenceMs = 10_000;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** True if the server started, or another start was quicker with it; false if it ended again. */
async function start(scene: Scene, logFile: string): Promise<boolean> {
  const { home, program } = scene;
  scene.reach ??= scene.overLoopback
    ? { port: await freePort() }
    : { socketFolder: await makeSocketFolder(home) };
  const settings = settingsText({ ...serverSettings(scene.reach), ...scene.settings });
  const started = await launch({
    program: program.folder,
    cluster: home.cluster,
    owner: home.owner,
    logFile,
    settings,
  });
  if (started) return true;
  const other = await readPostmaster(home.cluster);
  return other !== undefined && (await isServerOf(other.pid, home.cluster));
}

/** Where the server of a DATA_DIR writes what it says. */
export const serverLogOf = ({ dataDir }: Pick<Scene, 'dataDir'>): string => join(dataDir, 'postgres.log');

async function startPatiently(scene: Scene): Promise<void> {
  if (scene.home.owner) await giveTo(scene.home.owner, scene.home.cluster);
  const logFile = serverLogOf(scene);
  for (let count = 1; count <= maxLaunches; count += 1) {
    if (await start(scene, logFile)) return;
    // what is left of a killed server holds its shared memory for a moment
    await sleep(launchGapMs);
  }
  const said = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-8).join('\n');
  throw new Error(`The database server did not start. The end of ${logFile}:\n${said}`);
}

type Answer = Exclude<Guarding, { kind: 'not_admitted' }> & { address?: Address };

async function ask(scene: Scene, server: Postmaster): Promise<Answer> {
  const { reach } = server;
  const { cluster } = scene.home;
  // a server whose folder was moved under it still gives the old name
  const isOurs = async (folder: string) => folder === cluster || (await isServerOf(server.pid, cluster));
  // a port may belong to anybody by now: the password goes to no one but the server of ours
  if ('port' in reach && !(await isServerOf(server.pid, cluster))) return { kind: 'unreachable' };
  const passwords = await readPasswords(cluster);
  const address = {
    ...('port' in reach ? { host: '127.0.0.1', port: reach.port } : { host: reach.socketFolder, port: 5432 }),
    user: programRole,
    password: passwords.program,
  };
  const answer = await takeGuard(address, isOurs);
  if (answer.kind !== 'not_admitted') return { ...answer, address };
  // a new server, or one of an earlier version of this program, whose gateway may still run
  const admin = { ...address, user: administrator, password: passwords.administrator };
  const first = await takeGuard(admin, isOurs);
  if (first.kind === 'not_admitted')
    throw new Error(`The database in ${cluster} refuses its administrator's password.`);
  if (first.kind !== 'held') return first;
  await makeProgramRole(admin, passwords.program).finally(() => first.client.end());
  const second = await takeGuard(address, isOurs);
  if (second.kind !== 'not_admitted') return { ...second, address };
  throw new Error(`The database in ${cluster} refuses the role that was just made for this program.`);
}

/** True if the server runs as a user who is not to have its data any more. */
async function runsAsAnother({ home }: Scene): Promise<boolean> {
  return home.owner !== undefined && (await stat(home.cluster)).uid !== home.owner.uid;
}

/** Deals with a server that its pid file names but that does not answer: gone, not yet listening, or stuck. */
async function clearAway(scene: Scene, server: Postmaster, silentSince: number): Promise<'gone' | 'wait'> {
  const { cluster } = scene.home;
  if (!(await isServerOf(server.pid, cluster))) {
    // PostgreSQL itself replaces the file of a dead server, but takes any living process of that id for a server
    const again = await readPostmaster(cluster);
    if (again?.text === server.text) await unlink(join(cluster, 'postmaster.pid'));
    return 'gone';
  }
  if (performance.now() - silentSince < silenceMs) return 'wait';
  scene.log.warn({ pid: server.pid }, 'database.silent: it does not respond and is restarted');
  await endServer(server.pid, cluster);
  return 'gone';
}

/** Resolves with the lock held; throws when another living gateway has it, or the server does not start. */
export async function hold(scene: Scene): Promise<Holding> {
  let adopted = true;
  let silentSince = performance.now();
  let toldOfWaiting = false;
  for (;;) {
    const server = await readPostmaster(scene.home.cluster);
    if (!server) {
      await startPatiently(scene);
      adopted = false;
      silentSince = performance.now();
      continue;
    }
    const answer = await ask(scene, server);
    if (answer.kind === 'taken') {
      throw new Error(
        `Another gateway already runs on ${scene.dataDir} (${answer.by}). Stop it first, or give this one a DATA_DIR of its own.`,
      );
    }
    if (answer.kind === 'held' && answer.address) {
      // one that an earlier version started lets in without a password
      if (await requirePasswords(scene.home.cluster)) process.kill(server.pid, 'SIGHUP');
      if (await runsAsAnother(scene)) {
        await endServer(server.pid, scene.home.cluster);
        await answer.client.end().catch(() => {});
        continue;
      }
      scene.reach = server.reach;
      return { server, guard: answer.client, address: answer.address, adopted };
    }
    if (answer.kind === 'not_ready') {
      silentSince = performance.now();
      if (!toldOfWaiting)
        scene.log.info({ pid: server.pid }, 'database.waiting: the server is starting or stopping');
      toldOfWaiting = true;
    } else if ((await clearAway(scene, server, silentSince)) === 'gone') {
      continue;
    }
    await sleep(20);
  }
}
