// Acquisition of the database server of one DATA_DIR: finds or starts it, stops an unresponsive one, and takes its lock.
import { readFile, stat, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { administrator, programRole, readPasswords } from './cluster.ts';
import { makeSocketFolder, type ServerFolders } from './folders.ts';
import { type Address, type LockResult, lockServer } from './lock.ts';
import { changeOwner } from './owner.ts';
import {
  isServerOf,
  type Postmaster,
  readPostmaster,
  requirePasswords,
  startServer,
  stopServer,
} from './postmaster.ts';
import type { Program } from './program.ts';
import { makeProgramRole } from './roles.ts';
import { type ListenAddress, serverSettings, settingsText } from './settings.ts';

export interface EmbeddedLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** What `acquireServer` works with. */
export interface ServerContext {
  folders: ServerFolders;
  program: Program;
  dataDir: string;
  log: EmbeddedLog;
  overLoopback: boolean;
  /** Settings for postgresql.conf that override ours. */
  settings: Record<string, string>;
  /** Set by the first call, so that a restarted server gets the same address. */
  listenAddress: ListenAddress | undefined;
}

/** A running server. This process has its lock as long as `lockClient` stays connected. */
export interface AcquiredServer {
  server: Postmaster;
  lockClient: Client;
  address: Address;
  adopted: boolean;
}

/** The server exits each time it is started. */
export class ServerStartError extends Error {}

/** Another process runs on this DATA_DIR. */
export class OtherGatewayError extends Error {}

const maxStarts = 3;
const startGapMs = 200;
/** A running server that does not answer for this long is restarted. */
const unresponsiveMs = 10_000;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** True if this or another process started the server; false if it exited. */
async function start(context: ServerContext, logFile: string): Promise<boolean> {
  const { folders, program } = context;
  context.listenAddress ??= context.overLoopback
    ? { port: await freePort() }
    : { socketFolder: await makeSocketFolder(folders) };
  const settings = settingsText({
    ...serverSettings(context.listenAddress, program.major),
    ...context.settings,
  });
  const started = await startServer({
    program: program.folder,
    cluster: folders.cluster,
    owner: folders.owner,
    logFile,
    settings,
  });
  if (started) return true;
  const other = await readPostmaster(folders.cluster);
  return other !== undefined && (await isServerOf(other.pid, folders.cluster));
}

/** The server's log file. */
export const serverLogOf = ({ dataDir }: Pick<ServerContext, 'dataDir'>): string =>
  join(dataDir, 'postgres.log');

async function startWithRetries(context: ServerContext): Promise<void> {
  if (context.folders.owner) await changeOwner(context.folders.owner, context.folders.cluster);
  const logFile = serverLogOf(context);
  for (let count = 1; count <= maxStarts; count += 1) {
    if (await start(context, logFile)) return;
    // a killed server's shared memory is freed only after a moment
    await sleep(startGapMs);
  }
  const lastLines = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-8).join('\n');
  throw new ServerStartError(`The database server did not start. The end of ${logFile}:\n${lastLines}`);
}

type LockAttempt = Exclude<LockResult, { kind: 'not_admitted' }> & { address?: Address };

async function lockWithRole(context: ServerContext, server: Postmaster): Promise<LockAttempt> {
  const { listenAddress } = server;
  const { cluster } = context.folders;
  // a server whose folder was moved while it ran still reports the old path
  const isOurs = async (folder: string) => folder === cluster || (await isServerOf(server.pid, cluster));
  // another process may have this port by now: send the password to our own server only
  if ('port' in listenAddress && !(await isServerOf(server.pid, cluster))) return { kind: 'unreachable' };
  const passwords = await readPasswords(cluster);
  const address = {
    ...('port' in listenAddress
      ? { host: '127.0.0.1', port: listenAddress.port }
      : { host: listenAddress.socketFolder, port: 5432 }),
    user: programRole,
    password: passwords.program,
  };
  const answer = await lockServer(address, isOurs);
  if (answer.kind !== 'not_admitted') return { ...answer, address };
  // the role is missing: a new server, or one made by an earlier version, whose gateway may still be running
  const admin = { ...address, user: administrator, password: passwords.administrator };
  const first = await lockServer(admin, isOurs);
  if (first.kind === 'not_admitted')
    throw new Error(`The database in ${cluster} rejects its administrator's password.`);
  if (first.kind !== 'held') return first;
  await makeProgramRole(admin, passwords.program).finally(() => first.client.end());
  const second = await lockServer(address, isOurs);
  if (second.kind !== 'not_admitted') return { ...second, address };
  throw new Error(`The database in ${cluster} rejects the role that was just created for this program.`);
}

/** True if the server still runs as the user who owned its data before `changeOwner`. */
async function runsAsFormerUser({ folders }: ServerContext): Promise<boolean> {
  return folders.owner !== undefined && (await stat(folders.cluster)).uid !== folders.owner.uid;
}

/** Handles a server that the pid file names but that does not answer: it ended, is not listening yet, or is stuck. */
async function handleUnresponsive(
  context: ServerContext,
  server: Postmaster,
  unresponsiveSince: number,
): Promise<'gone' | 'wait'> {
  const { cluster } = context.folders;
  if (!(await isServerOf(server.pid, cluster))) {
    // PostgreSQL replaces the pid file of a dead server, but not if any other process has that pid now
    const again = await readPostmaster(cluster);
    if (again?.text === server.text) await unlink(join(cluster, 'postmaster.pid'));
    return 'gone';
  }
  if (performance.now() - unresponsiveSince < unresponsiveMs) return 'wait';
  context.log.warn({ pid: server.pid }, 'database.silent: it does not respond and is restarted');
  await stopServer(server.pid, cluster);
  return 'gone';
}

/** Resolves with the lock held. Throws if another gateway holds it, or the server does not start. */
export async function acquireServer(context: ServerContext): Promise<AcquiredServer> {
  let adopted = true;
  let unresponsiveSince = performance.now();
  let waitLogged = false;
  for (;;) {
    const server = await readPostmaster(context.folders.cluster);
    if (!server) {
      await startWithRetries(context);
      adopted = false;
      unresponsiveSince = performance.now();
      continue;
    }
    const answer = await lockWithRole(context, server);
    if (answer.kind === 'taken') {
      throw new OtherGatewayError(
        `Another gateway already runs on ${context.dataDir} (${answer.by}). Stop it first, or set another DATA_DIR for this one.`,
      );
    }
    if (answer.kind === 'held' && answer.address) {
      // a server started by an earlier version accepts connections without a password
      if (await requirePasswords(context.folders.cluster)) process.kill(server.pid, 'SIGHUP');
      if (await runsAsFormerUser(context)) {
        await stopServer(server.pid, context.folders.cluster);
        await answer.client.end().catch(() => {});
        continue;
      }
      context.listenAddress = server.listenAddress;
      return { server, lockClient: answer.client, address: answer.address, adopted };
    }
    if (answer.kind === 'not_ready') {
      unresponsiveSince = performance.now();
      if (!waitLogged)
        context.log.info({ pid: server.pid }, 'database.waiting: the server is starting or stopping');
      waitLogged = true;
    } else if ((await handleUnresponsive(context, server, unresponsiveSince)) === 'gone') {
      continue;
    }
    await sleep(20);
  }
}
