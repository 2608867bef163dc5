// The embedded database: a PostgreSQL server in its own process, which survives a crash of the gateway and is then taken over.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AcquiredServer,
  acquireServer,
  type EmbeddedLog,
  type ServerContext,
  ServerStartError,
  serverLogOf,
} from './acquire.ts';
import { administrator, ensureCluster, majorOf, readPasswords } from './cluster.ts';
import { prepareFolders, removeLeftovers } from './folders.ts';
import { startLogRotation } from './log.ts';
import { readPostmaster, stopServer } from './postmaster.ts';
import { findProgram } from './program.ts';
import { gatewayDatabase } from './roles.ts';
import { finishUpgrade, settleUpgrade, undoUpgrade } from './upgrade.ts';
import { endsUse } from './users.ts';

export interface EmbeddedOptions {
  dataDir: string;
  log: EmbeddedLog;
  /** Use a loopback port instead of a Unix socket; the default on Windows. */
  overLoopback?: boolean;
  /** Settings for postgresql.conf that override ours. */
  settings?: Record<string, string>;
  /** Move a database of an earlier major version of PostgreSQL to the present one. Otherwise it is rejected. */
  upgrade?: boolean | undefined;
  /** Commands share the server: `stop` leaves it to those that still use it. */
  isShared?: boolean | undefined;
  /** Called with a line for people while the database is being moved. */
  onProgress?: ((text: string) => void) | undefined;
}

interface Login {
  host: string;
  port: number;
  user: string;
  password?: string;
  database: string;
}

export interface Embedded {
  /** For `openDb`. Stays the same when the server is restarted. */
  connection: Login;
  /** The superuser's login, for tests and scripts that create databases. The program never uses it. */
  administrator: Login;
  /** True if this process took over the running server of an earlier, killed process. */
  adopted: boolean;
  /**
   * Stops the server and waits until all its processes have ended. Close the pools first. A shared server that other commands
   * use keeps running: the last of them stops it.
   */
  stop(): Promise<void>;
  /** Immediate shutdown, for a process that is about to exit: the next start recovers from the write-ahead log. */
  stopNow(): void;
}

const maxRestartGapMs = 2000;

/** Keeps the lock until `release`, and restarts the server at the same address if it dies. */
class ServerSupervisor {
  readonly #context: ServerContext;
  #acquired: Promise<AcquiredServer>;
  #pid: number | undefined;
  #released: Promise<void> | undefined;
  readonly #stopLogRotation: () => void;

  constructor(context: ServerContext, first: AcquiredServer) {
    this.#context = context;
    this.#acquired = Promise.resolve(first);
    this.#stopLogRotation = startLogRotation(serverLogOf(context));
    this.#watch(first);
  }

  #watch(held: AcquiredServer): void {
    this.#pid = held.server.pid;
    held.lockClient.once('end', () => {
      this.#pid = undefined;
      if (this.#released) return;
      this.#context.log.error({ pid: held.server.pid }, 'database.lost: the server broke the connection');
      this.#acquired = this.#reacquire();
      this.#acquired.catch(() => {});
    });
  }

  async #reacquire(): Promise<AcquiredServer> {
    for (let gapMs = 100; ; gapMs = Math.min(gapMs * 2, maxRestartGapMs)) {
      try {
        const held = await acquireServer(this.#context);
        this.#context.log.warn({ pid: held.server.pid }, 'database.recovered');
        this.#watch(held);
        return held;
      } catch (error) {
        if (this.#released) throw error;
        this.#context.log.error({ err: error }, 'database.down: it could not be restarted; retrying');
        await sleep(gapMs);
      }
    }
  }

  async #end(isShared: boolean): Promise<void> {
    const { folders, listenAddress, log } = this.#context;
    this.#stopLogRotation();
    const held = await this.#acquired.catch(() => undefined);
    if (held && isShared && !(await endsUse(held.lockClient).catch(() => true))) {
      await held.lockClient.end().catch(() => {});
      log.info({ pid: held.server.pid }, 'database.left: another command uses it, and stops it');
      return;
    }
    const pid = held?.server.pid ?? (await readPostmaster(folders.cluster))?.pid;
    const by = pid === undefined ? 'itself' : await stopServer(pid, folders.cluster);
    await held?.lockClient.end().catch(() => {});
    if (listenAddress && 'socketFolder' in listenAddress)
      await rm(listenAddress.socketFolder, { recursive: true, force: true });
    log.info({ pid, by }, 'database.stopped');
  }

  releaseNow(): void {
    if (this.#pid === undefined) return;
    try {
      // PostgreSQL's immediate shutdown
      process.kill(this.#pid, 'SIGQUIT');
    } catch {
      // the server has already ended
    }
  }

  release(isShared = false): Promise<void> {
    this.#released ??= this.#end(isShared);
    return this.#released;
  }
}

/**
 * Starts PostgreSQL on `dataDir`, or takes over the server that a killed gateway left running. The first start creates the
 * database and takes about 1.5 seconds, later ones 0.1. Only this user and root can reach the server, with a password.
 * Started by root, the server runs as the system user `chatbot-gateway`, which is created if it is missing. If that user may
 * not enter `dataDir`, the data is under /var/lib/chatbot-gateway, and a file in `dataDir` names the folder. Throws if
 * another running gateway uses `dataDir`, or if `dataDir` is a copy whose database belongs to the original.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<Embedded> {
  const began = performance.now();
  const { log } = options;
  const folders = await prepareFolders(options.dataDir);
  const program = await findProgram(folders.copyTargets, folders.owner !== undefined);
  const overLoopback = options.overLoopback ?? process.platform === 'win32';
  const { dataDir, onProgress } = options;
  const upgrade = { folders, program, dataDir, log, overLoopback, onProgress };
  await settleUpgrade(upgrade);
  const major = await majorOf(folders.cluster);
  if (options.upgrade && Number(major) < Number(program.major))
    // loaded once in years
    await (await import('./move.ts')).moveCluster(major as string, upgrade);
  const isNew = !existsSync(folders.cluster);
  await ensureCluster(folders, program);
  const context: ServerContext = {
    folders,
    program,
    dataDir,
    log,
    overLoopback,
    settings: options.settings ?? {},
    listenAddress: undefined,
  };
  const first = await acquireServer(context).catch(async (error: Error) => {
    // not if another gateway uses it
    if (!(error instanceof ServerStartError) || !(await undoUpgrade(upgrade))) throw error;
    throw new Error(
      `The new version of PostgreSQL does not start on the moved database, so the old directory is back, unchanged: ${error.message}`,
      { cause: error },
    );
  });
  const keeper = new ServerSupervisor(context, first);
  try {
    await finishUpgrade(upgrade);
    await removeLeftovers(
      folders,
      context.listenAddress && 'socketFolder' in context.listenAddress
        ? context.listenAddress.socketFolder
        : undefined,
    );
  } catch (error) {
    await keeper.release();
    throw error;
  }
  const { adopted, server, address } = first;
  const ms = Math.round(performance.now() - began);
  log.info({ pid: server.pid, folder: folders.cluster, new: isNew, adopted, ms }, 'database.started');
  const passwords = await readPasswords(folders.cluster);
  return {
    connection: { ...address, database: gatewayDatabase },
    administrator: {
      ...address,
      user: administrator,
      password: passwords.administrator,
      database: gatewayDatabase,
    },
    adopted,
    stop: () => keeper.release(options.isShared),
    stopNow: () => keeper.releaseNow(),
  };
}
