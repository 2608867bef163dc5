// Location of the embedded server's data and socket, and the user it runs as: PostgreSQL does not run as root.
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { type Owner, ownerFor } from './owner.ts';
import { checkLinkOwner, makeFolderOutside, readPointer, recordOwner, rootsFolder } from './pointer.ts';

export interface ServerFolders {
  /** Contains the data directory and, if its path is short enough, the socket. */
  folder: string;
  /** PostgreSQL's data directory. */
  cluster: string;
  owner: Owner | undefined;
  /** Folders that PostgreSQL's files may be copied to, in order of preference. */
  copyTargets: string[];
}

/** Names of data directories that are being created begin with it. */
export const unfinishedPrefix = 'postgres.new-';

// sun_path has 104 bytes on macOS and 108 on Linux, including the final zero byte
const maxSocketFolderBytes = 103 - '/.s.PGSQL.5432'.length;

/** True if `owner` may enter `folder`: it and every parent has the execute permission. */
async function canEnter(folder: string, owner: Owner): Promise<boolean> {
  const { mode, uid, gid } = await stat(folder);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  return dirname(folder) === folder || (await canEnter(dirname(folder), owner));
}

async function foldersAsRoot(dataDir: string): Promise<ServerFolders> {
  const here = join(dataDir, 'postgres');
  const pointer = await readPointer(dataDir);
  const cluster = pointer ? join(pointer, 'postgres') : here;
  const found = existsSync(cluster) ? await stat(cluster) : undefined;
  const owner = await ownerFor(found, await stat(dataDir));
  const canEnterDataDir = await canEnter(dataDir, owner);
  if (pointer && existsSync(here)) {
    throw new Error(
      `There are two databases: ${here}, and ${cluster}, which a file in ${dataDir} points to. Move away the one that you do not use.`,
    );
  }
  if (!canEnterDataDir && existsSync(here)) {
    throw new Error(
      `The database in ${here} must belong to the user ${owner.uid}, who may not enter ${dataDir}. Start as the ordinary user who owns it, or let that user enter (chmod a+x on the folders above).`,
    );
  }
  const folder = pointer ?? (canEnterDataDir ? dataDir : await makeFolderOutside(dataDir));
  if (folder !== dataDir) await chown(folder, owner.uid, owner.gid);
  return { folder, cluster: join(folder, 'postgres'), owner, copyTargets: [rootsFolder, folder] };
}

/** Creates DATA_DIR if it is missing. Throws if that is not possible. */
export async function makeDataDir(dataDir: string): Promise<void> {
  // started by root, the server runs as another user, who must be able to enter
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  await makeFolder(dataDir, mode).catch(rejectDataDir);
}

/** Throws an error that names the setting. */
export function rejectDataDir(cause: Error): never {
  throw new Error(`DATA_DIR cannot be used: ${cause.message}. Set it to a folder that this user may write.`, {
    cause,
  });
}

async function foldersAsUser(dataDir: string): Promise<ServerFolders> {
  const folder = (await readPointer(dataDir)) ?? dataDir;
  const cluster = join(folder, 'postgres');
  const owner = existsSync(cluster) ? (await stat(cluster)).uid : process.getuid?.();
  if (owner !== process.getuid?.()) {
    throw new Error(
      `The database in ${cluster} belongs to the user ${owner}. Start as that user or as root, or choose another DATA_DIR.`,
    );
  }
  return { folder, cluster, owner: undefined, copyTargets: [dataDir] };
}

/**
 * Finds or creates the server's folders for this DATA_DIR. Throws before anything is opened if the database there belongs
 * to another user, or if DATA_DIR is a copy whose database belongs to the original.
 */
export async function prepareFolders(dataDir: string): Promise<ServerFolders> {
  await makeDataDir(dataDir);
  const real = await realpath(dataDir);
  await checkLinkOwner(real, join(real, 'postgres'));
  const folders = await (process.getuid?.() === 0 ? foldersAsRoot(real) : foldersAsUser(real));
  await recordOwner(real, folders.folder, folders.cluster);
  return folders;
}

/** PostgreSQL's data directory for this DATA_DIR; undefined if it does not exist. Creates nothing. Throws if DATA_DIR is a copy. */
export async function findCluster(dataDir: string): Promise<string | undefined> {
  if (!existsSync(dataDir)) return undefined;
  const real = await realpath(dataDir);
  const here = join(real, 'postgres');
  await checkLinkOwner(real, here);
  const cluster = join((await readPointer(real)) ?? real, 'postgres');
  return existsSync(cluster) ? cluster : undefined;
}

/** Creates a folder that only the server's user and root may enter. */
export async function makePrivateFolder(prefix: string, owner: Owner | undefined): Promise<string> {
  const folder = await mkdtemp(prefix);
  if (owner) await chown(folder, owner.uid, owner.gid);
  return folder;
}

/**
 * Creates a private folder for the server's socket, with a path short enough for a socket address. Each start uses a new
 * folder: a server that is still shutting down deletes its socket, and must not delete the new server's.
 */
export async function makeSocketFolder(folders: ServerFolders): Promise<string> {
  for (const parent of [folders.folder, tmpdir(), '/tmp']) {
    const prefix = join(parent, parent === folders.folder ? 'socket-' : 'chatbot-gateway-');
    if (Buffer.byteLength(prefix) + 6 > maxSocketFolderBytes) continue;
    if (folders.owner && !(await canEnter(await realpath(parent), folders.owner))) continue;
    return makePrivateFolder(prefix, folders.owner);
  }
  throw new Error(
    `The path of DATA_DIR (${folders.folder}) is too long for a Unix socket. Choose a shorter one.`,
  );
}

/** Much longer than initdb takes. */
const abandonedMs = 3_600_000;

/**
 * Removes what earlier processes left: socket folders, and directories of killed first starts that are an hour old (another
 * start may be creating its own). Call it only with the lock held and the server running.
 */
export async function removeLeftovers(folders: ServerFolders, socket: string | undefined): Promise<void> {
  for (const name of await readdir(folders.folder)) {
    const path = join(folders.folder, name);
    const isOldSocket = name.startsWith('socket-') && path !== socket;
    const isUnfinished = name.startsWith(unfinishedPrefix);
    if (isOldSocket || (isUnfinished && Date.now() - (await stat(path)).mtimeMs > abandonedMs))
      await rm(path, { recursive: true, force: true });
  }
}
