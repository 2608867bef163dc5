// The embedded database: real PostgreSQL as a child process that outlives us if we are killed, and is then found again.
import { existsSync } from 'node:fs';
import { readFile, rm, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { databaseUser, ensureCluster, readPassword } from './embedded-cluster.ts';
import { type Address, ensureDatabase, type Guarding, takeGuard } from './embedded-guard.ts';
import { findHome, type Home, makeSocketFolder, removeOldSockets } from './embedded-home.ts';
import { endServer, isServerOf, launch, type Postmaster, readPostmaster } from './embedded-postmaster.ts';
import { findProgram, type Program } from './embedded-program.ts';
import { type Reach, serverSettings, settingsText } from './embedded-settings.ts';

export interface EmbeddedLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export interface EmbeddedOptions {
  dataDir: string;
  log: EmbeddedLog;
  /** Loopback with a password instead of a Unix socket; the way where there are no Unix sockets. */
  overLoopback?: boolean;
  /** Settings of postgresql.conf that win over ours. */
  settings?: Record<string, string>;
}

export interface Embedded {
  /** For `openDb`. It stays the same when a server that died is started anew. */
  connection: { host: string; port: number; user: string; password?: string; database: string };
  /** True if the server of an earlier, killed process was found alive and taken over. */
  adopted: boolean;
  /** Ends the server and waits until no process of it is left. Close the pools first. */
  stop(): Promise<void>;
}

interface Holding {
  server: Postmaster;
  guard: Client;
  address: Address;
  adopted: boolean;
}

interface Scene {
  home: Home;
  program: Program;
  options: EmbeddedOptions;
  /** Set once known, so that a server started anew is reached as the one before. */
  reach: Reach | undefined;
}

const database = 'gateway';
const maxLaunches = 3;
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

async function addressOf(scene: Scene, reach: Reach): Promise<Address> {
  if ('socketFolder' in reach) return { host: reach.socketFolder, port: 5432, user: databaseUser };
  return {
    host: '127.0.0.1',
    port: reach.port,
    user: databaseUser,
    password: await readPassword(scene.home),
  };
}

async function start(scene: Scene): Promise<void> {
  const { home, program, options } = scene;
  const loopback = options.overLoopback ?? process.platform === 'win32';
  scene.reach ??= loopback ? { port: await freePort() } : { socketFolder: await makeSocketFolder(home) };
  const settings = settingsText({ ...serverSettings(scene.reach), ...options.settings });
  const logFile = join(options.dataDir, 'postgres.log');
  const started = await launch({
    program: program.folder,
    cluster: home.cluster,
    owner: home.owner,
    logFile,
    settings,
  });
  if (started || (await readPostmaster(home.cluster))) return;
  const said = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-8).join('\n');
  throw new Error(`The database server did not start. The end of ${logFile}:\n${said}`);
}

/** Deals with a server that its pid file names but that does not answer: gone, not yet listening, or stuck. */
async function clearAway(scene: Scene, server: Postmaster, silentSince: number): Promise<'gone' | 'wait'> {
  const { cluster } = scene.home;
  if (!(await isServerOf(server.pid, cluster))) {
    // another process has its id now: PostgreSQL would take that one for a living server and refuse to start
    const again = await readPostmaster(cluster);
    if (again?.text === server.text) await unlink(join(cluster, 'postmaster.pid'));
    return 'gone';
  }
  if (performance.now() - silentSince < silenceMs) return 'wait';
  scene.options.log.warn({ pid: server.pid }, 'database.silent: it does not answer and is ended');
  await endServer(server, cluster);
  return 'gone';
}

function refuseTaken(scene: Scene, guarding: Extract<Guarding, { kind: 'taken' }>): never {
  throw new Error(
    `Another gateway already runs on ${scene.options.dataDir} (${guarding.by}). Stop it first, or give this one a DATA_DIR of its own.`,
  );
}

/** Finds the living server or starts one, and takes the lock that makes it ours. */
async function hold(scene: Scene): Promise<Holding> {
  let launches = 0;
  let silentSince = performance.now();
  for (;;) {
    const server = await readPostmaster(scene.home.cluster);
    if (!server) {
      launches += 1;
      if (launches > maxLaunches)
        throw new Error(`The database server ended ${maxLaunches} times as it started.`);
      await start(scene);
      silentSince = performance.now();
      continue;
    }
    const address = await addressOf(scene, server.reach);
    const guarding = await takeGuard(address);
    if (guarding.kind === 'taken') refuseTaken(scene, guarding);
    if (guarding.kind === 'held') {
      if (guarding.dataDirectory === scene.home.cluster) {
        scene.reach = server.reach;
        return { server, guard: guarding.client, address, adopted: launches === 0 };
      }
      await guarding.client.end();
    }
    if (guarding.kind === 'not_ready') silentSince = performance.now();
    else if ((await clearAway(scene, server, silentSince)) === 'gone') continue;
    await sleep(20);
  }
}

/** Keeps the lock, and the server up, until `isStopping`: if the server dies, it is started anew at the same address. */
function watch(
  scene: Scene,
  holding: Holding,
  isStopping: () => boolean,
  next: (held: Promise<Holding>) => void,
): void {
  const { log } = scene.options;
  const again = async (): Promise<Holding> => {
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        const held = await hold(scene);
        log.warn({ pid: held.server.pid }, 'database.recovered');
        watch(scene, held, isStopping, next);
        return held;
      } catch (error) {
        if (isStopping()) throw error;
        log.error({ err: error }, 'database.down: starting it anew failed, and is tried again');
        await sleep(waitMs);
      }
    }
  };
  holding.guard.once('end', () => {
    if (isStopping()) return;
    log.error({ pid: holding.server.pid }, 'database.lost: the server broke the connection');
    const held = again();
    held.catch(() => {});
    next(held);
  });
}

async function end(scene: Scene, holding: Holding): Promise<void> {
  const how = await endServer(holding.server, scene.home.cluster);
  await holding.guard.end().catch(() => {});
  const { reach } = scene;
  if (reach && 'socketFolder' in reach) await rm(reach.socketFolder, { recursive: true, force: true });
  scene.options.log.info({ pid: holding.server.pid, how }, 'database.stopped');
}

/**
 * Starts PostgreSQL on `dataDir` (made on the first start, about 2 seconds; later starts take 0.1), or takes over the
 * server that a killed gateway left. Nobody but this user (and root) can reach it. As root it runs as the user
 * `postgres`, else `nobody`; where that user may not enter `dataDir`, the data lies under /var/lib/chatbot-gateway and
 * `dataDir` says where. Throws when another living gateway uses `dataDir`.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<Embedded> {
  const began = performance.now();
  const home = await findHome(options.dataDir);
  const program = await findProgram(home.stageUnder, home.owner !== undefined);
  const isNew = !existsSync(home.cluster);
  await ensureCluster(home, program);
  const scene: Scene = { home, program, options, reach: undefined };
  const first = await hold(scene);
  let holding = Promise.resolve(first);
  let stopping: Promise<void> | undefined;
  watch(
    scene,
    first,
    () => stopping !== undefined,
    (held) => {
      holding = held;
    },
  );
  await ensureDatabase(first.guard, database);
  const { reach } = scene;
  await removeOldSockets(home, reach && 'socketFolder' in reach ? reach.socketFolder : undefined);
  const { adopted, server, address } = first;
  const ms = Math.round(performance.now() - began);
  options.log.info({ pid: server.pid, folder: home.cluster, new: isNew, adopted, ms }, 'database.started');
  return {
    connection: { ...address, database },
    adopted,
    stop: () => {
      stopping ??= holding.then((held) => end(scene, held));
      return stopping;
    },
  };
}
