// Decides where the embedded server's data and socket lie, and as which user it runs: PostgreSQL refuses to run as root.
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Owner, ownerFor } from './embedded-owner.ts';
import { bind, checkLinked, readPointer, rootsFolder, settleElsewhere } from './embedded-place.ts';

export interface Home {
  /** The folder that holds the data directory and, where its path is short enough, the socket. */
  folder: string;
  /** PostgreSQL's data directory. */
  cluster: string;
  owner: Owner | undefined;
  /** Where PostgreSQL's files may be copied to, best first. */
  stageUnder: string[];
}

// 104 bytes on macOS and 108 on Linux, with the closing zero, for the folder and `/.s.PGSQL.5432`
const maxSocketFolderBytes = 103 - '/.s.PGSQL.5432'.length;

/** True if `owner` may pass through `folder` and all above it. */
async function canEnter(folder: string, owner: Owner): Promise<boolean> {
  const { mode, uid, gid } = await stat(folder);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  return dirname(folder) === folder || (await canEnter(dirname(folder), owner));
}

async function rootsHome(dataDir: string): Promise<Home> {
  const here = join(dataDir, 'postgres');
  const pointed = await readPointer(dataDir);
  const cluster = pointed ? join(pointed, 'postgres') : here;
  const found = existsSync(cluster) ? await stat(cluster) : undefined;
  const owner = await ownerFor(found, await stat(dataDir));
  const mayEnter = await canEnter(dataDir, owner);
  if (pointed && existsSync(here)) {
    throw new Error(
      `There are two databases: ${here}, and ${cluster}, to which a file in ${dataDir} points. Move the one that is not to be used away.`,
    );
  }
  if (!mayEnter && existsSync(here)) {
    throw new Error(
      `The database in ${here} is to belong to the user ${owner.uid}, who may not enter ${dataDir}. Start as an ordinary user who owns it, or let that user pass (chmod a+x on the folders above).`,
    );
  }
  const folder = pointed ?? (mayEnter ? dataDir : await settleElsewhere(dataDir));
  if (folder !== dataDir) await chown(folder, owner.uid, owner.gid);
  return { folder, cluster: join(folder, 'postgres'), owner, stageUnder: [rootsFolder, folder] };
}

/** Makes the folder for the data of a gateway where it is not there; throws an error for the operator otherwise. */
export async function makeDataDir(dataDir: string): Promise<void> {
  // as root the server runs as another user, who must be able to pass
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  try {
    await mkdir(dataDir, { recursive: true, mode });
  } catch (error) {
    throw new Error(
      `DATA_DIR cannot be used: ${(error as Error).message}. Give a folder that this user may write.`,
      {
        cause: error,
      },
    );
  }
}

async function usersHome(dataDir: string): Promise<Home> {
  const folder = (await readPointer(dataDir)) ?? dataDir;
  const cluster = join(folder, 'postgres');
  const owner = existsSync(cluster) ? (await stat(cluster)).uid : process.getuid?.();
  if (owner !== process.getuid?.()) {
    throw new Error(
      `The database in ${cluster} belongs to the user ${owner}. Start as that user or as root, or choose another DATA_DIR.`,
    );
  }
  return { folder, cluster, owner: undefined, stageUnder: [dataDir] };
}

/**
 * Finds or makes the home of this DATA_DIR (created when absent). Throws, having opened nothing, when another user's
 * database lies there, or DATA_DIR is a copy whose database is the original's.
 */
export async function makeHome(dataDir: string): Promise<Home> {
  await makeDataDir(dataDir);
  const real = await realpath(dataDir);
  await checkLinked(real, join(real, 'postgres'));
  const home = await (process.getuid?.() === 0 ? rootsHome(real) : usersHome(real));
  await bind(real, home.folder, home.cluster);
  return home;
}

/** PostgreSQL's data directory of this DATA_DIR; undefined: none was made. Makes nothing; throws when DATA_DIR is a copy. */
export async function findCluster(dataDir: string): Promise<string | undefined> {
  if (!existsSync(dataDir)) return undefined;
  const real = await realpath(dataDir);
  const here = join(real, 'postgres');
  await checkLinked(real, here);
  const cluster = join((await readPointer(real)) ?? real, 'postgres');
  return existsSync(cluster) ? cluster : undefined;
}

/** Makes a folder of the server's user alone, which only root and that user may enter. */
export async function makePrivateFolder(prefix: string, owner: Owner | undefined): Promise<string> {
  const folder = await mkdtemp(prefix);
  if (owner) await chown(folder, owner.uid, owner.gid);
  return folder;
}

/**
 * Makes a new private folder for the server's socket, short enough for a socket's address. New at each launch: a
 * server that still dies takes the socket of its own name with it, and must not take another's.
 */
export async function makeSocketFolder(home: Home): Promise<string> {
  for (const parent of [home.folder, tmpdir(), '/tmp']) {
    const prefix = join(parent, parent === home.folder ? 'socket-' : 'chatbot-gateway-');
    if (Buffer.byteLength(prefix) + 6 > maxSocketFolderBytes) continue;
    if (home.owner && !(await canEnter(await realpath(parent), home.owner))) continue;
    return makePrivateFolder(prefix, home.owner);
  }
  throw new Error(`The path of DATA_DIR (${home.folder}) is too long for a socket; choose a shorter one.`);
}

/** Removes the socket folders that earlier servers of this home left; only for who holds the home, with its server up. */
export async function removeOldSockets(home: Home, current: string | undefined): Promise<void> {
  for (const name of await readdir(home.folder)) {
    const path = join(home.folder, name);
    if (name.startsWith('socket-') && path !== current) await rm(path, { recursive: true, force: true });
  }
}
