// The embedded database: real PostgreSQL as a process of its own, which outlives us if we are killed, and is then found again.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { administrator, ensureCluster, readPasswords } from './embedded-cluster.ts';
import { type EmbeddedLog, type Holding, hold, type Scene, serverLogOf } from './embedded-hold.ts';
import { makeHome, removeOldSockets } from './embedded-home.ts';
import { keepServerLogSmall } from './embedded-log.ts';
import { endServer, readPostmaster } from './embedded-postmaster.ts';
import { findProgram } from './embedded-program.ts';
import { gatewayDatabase } from './embedded-roles.ts';

export interface EmbeddedOptions {
  dataDir: string;
  log: EmbeddedLog;
  /** Loopback with a password instead of a Unix socket; the way where there are no Unix sockets. */
  overLoopback?: boolean;
  /** Settings of postgresql.conf that win over ours. */
  settings?: Record<string, string>;
}

interface Login {
  host: string;
  port: number;
  user: string;
  password?: string;
  database: string;
}

export interface Embedded {
  /** For `openDb`. It stays the same when the server is restarted. */
  connection: Login;
  /** A superuser's way in, for who sets databases up: tests and scripts, never the program. */
  administrator: Login;
  /** True if the server of an earlier, killed process was found alive and taken over. */
  adopted: boolean;
  /** Ends the server and waits until no process of it is left. Close the pools first. */
  stop(): Promise<void>;
  /** For the last moment of a process: ends the server without writing out its data, which the next start recovers. */
  stopNow(): void;
}

const maxRestartGapMs = 2000;

/** Holds the server until `release`, and restarts it at the same address if it dies. */
class Keeper {
  readonly #scene: Scene;
  #holding: Promise<Holding>;
  #pid: number | undefined;
  #released: Promise<void> | undefined;
  readonly #leaveLog: () => void;

  constructor(scene: Scene, first: Holding) {
    this.#scene = scene;
    this.#holding = Promise.resolve(first);
    this.#leaveLog = keepServerLogSmall(serverLogOf(scene));
    this.#watch(first);
  }

  #watch(held: Holding): void {
    this.#pid = held.server.pid;
    held.guard.once('end', () => {
      this.#pid = undefined;
      if (this.#released) return;
      this.#scene.log.error({ pid: held.server.pid }, 'database.lost: the server broke the connection');
      this.#holding = this.#holdAgain();
      this.#holding.catch(() => {});
    });
  }

  async #holdAgain(): Promise<Holding> {
    for (let gapMs = 100; ; gapMs = Math.min(gapMs * 2, maxRestartGapMs)) {
      try {
        const held = await hold(this.#scene);
        this.#scene.log.warn({ pid: held.server.pid }, 'database.recovered');
        this.#watch(held);
        return held;
      } catch (error) {
        if (this.#released) throw error;
        this.#scene.log.error({ err: error }, 'database.down: it could not be restarted; retrying');
        await sleep(gapMs);
      }
    }
  }

  async #end(): Promise<void> {
    const { home, reach, log } = this.#scene;
    this.#leaveLog();
    const held = await this.#holding.catch(() => undefined);
    const pid = held?.server.pid ?? (await readPostmaster(home.cluster))?.pid;
    const by = pid === undefined ? 'itself' : await endServer(pid, home.cluster);
    await held?.guard.end().catch(() => {});
    if (reach && 'socketFolder' in reach) await rm(reach.socketFolder, { recursive: true, force: true });
    log.info({ pid, by }, 'database.stopped');
  }

  releaseNow(): void {
    if (this.#pid === undefined) return;
    try {
      // PostgreSQL's "immediate"
      process.kill(this.#pid, 'SIGQUIT');
    } catch {
      // it has ended
    }
  }

  release(): Promise<void> {
    this.#released ??= this.#end();
    return this.#released;
  }
}

/**
 * Starts PostgreSQL on `dataDir` (made on the first start, about 1.5 seconds; later starts take 0.1), or takes over the
 * server that a killed gateway left. Nobody but this user (and root) can reach it, and they by a password alone. As root
 * it runs as the system user `chatbot-gateway`, made where it is missing; where that user may not enter `dataDir`, the
 * data lies under /var/lib/chatbot-gateway and `dataDir` says where. Throws when another running gateway uses `dataDir`,
 * or `dataDir` is a copy whose database is another's.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<Embedded> {
  const began = performance.now();
  const { log } = options;
  const home = await makeHome(options.dataDir);
  const program = await findProgram(home.stageUnder, home.owner !== undefined);
  const isNew = !existsSync(home.cluster);
  await ensureCluster(home, program);
  const scene: Scene = {
    home,
    program,
    dataDir: options.dataDir,
    log,
    overLoopback: options.overLoopback ?? process.platform === 'win32',
    settings: options.settings ?? {},
    reach: undefined,
  };
  const first = await hold(scene);
  const keeper = new Keeper(scene, first);
  try {
    await removeOldSockets(
      home,
      scene.reach && 'socketFolder' in scene.reach ? scene.reach.socketFolder : undefined,
    );
  } catch (error) {
    await keeper.release();
    throw error;
  }
  const { adopted, server, address } = first;
  const ms = Math.round(performance.now() - began);
  log.info({ pid: server.pid, folder: home.cluster, new: isNew, adopted, ms }, 'database.started');
  const passwords = await readPasswords(home.cluster);
  return {
    connection: { ...address, database: gatewayDatabase },
    administrator: {
      ...address,
      user: administrator,
      password: passwords.administrator,
      database: gatewayDatabase,
    },
    adopted,
    stop: () => keeper.release(),
    stopNow: () => keeper.releaseNow(),
  };
}
