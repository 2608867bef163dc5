// Decides where the embedded server's data and socket lie, and as which user it runs: PostgreSQL refuses to run as root.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Whom the server's processes run as; absent: as ourselves. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface Home {
  /** The folder that holds the data directory and, where its path is short enough, the socket. */
  folder: string;
  /** PostgreSQL's data directory. */
  cluster: string;
  owner: Owner | undefined;
  /** Where PostgreSQL's files may be copied to, best first. */
  stageUnder: string[];
}

const rootsFolder = '/var/lib/chatbot-gateway';
/** In DATA_DIR: says where the data lies instead, when the server's user may not enter DATA_DIR. */
const pointerName = 'postgres.location';
// 104 bytes on macOS and 108 on Linux, with the closing zero, for the folder and `/.s.PGSQL.5432`
const maxSocketFolderBytes = 103 - '/.s.PGSQL.5432'.length;

async function accountForServer(): Promise<Owner> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const account = lines.find((fields) => fields[0] === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and this machine has neither a user "postgres" nor "nobody". Start as an ordinary user, or set DATABASE_URL.',
  );
}

/** True if `owner` may pass through `folder` and all above it. */
async function canEnter(folder: string, owner: Owner): Promise<boolean> {
  const { mode, uid, gid } = await stat(folder);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  return dirname(folder) === folder || (await canEnter(dirname(folder), owner));
}

async function readPointer(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, pointerName);
  if (!existsSync(path)) return undefined;
  const folder = (await readFile(path, 'utf8')).trim();
  if (existsSync(folder)) return folder;
  throw new Error(
    `The database of ${dataDir} lay in ${folder} (so says ${path}), and that folder is gone. ` +
      'Put it back, or restore a backup into a new DATA_DIR.',
  );
}

/** Makes a folder outside DATA_DIR and records it there; of two that do so at once, the first wins. */
async function settleElsewhere(dataDir: string): Promise<string> {
  const known = await readPointer(dataDir);
  if (known) return known;
  await mkdir(join(rootsFolder, 'data'), { recursive: true, mode: 0o755 });
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 8);
  const folder = await mkdtemp(join(rootsFolder, 'data', `${name}-`));
  try {
    await writeFile(join(dataDir, pointerName), `${folder}\n`, { flag: 'wx', mode: 0o644 });
    return folder;
  } catch {
    await rm(folder, { recursive: true });
    return (await readPointer(dataDir)) ?? folder;
  }
}

async function rootsHome(dataDir: string): Promise<Home> {
  const here = join(dataDir, 'postgres');
  const pointed = await readPointer(dataDir);
  const cluster = pointed ? join(pointed, 'postgres') : here;
  // data that an ordinary user's start made stays that user's
  const found = existsSync(cluster) ? await stat(cluster) : undefined;
  const owner = found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : await accountForServer();
  const folder = pointed ?? ((await canEnter(dataDir, owner)) ? dataDir : await settleElsewhere(dataDir));
  if (folder !== dataDir) {
    await chown(folder, owner.uid, owner.gid);
    if (existsSync(here)) {
      throw new Error(
        `The database in ${here} belongs to the user ${owner.uid}, who may not enter ${dataDir}. Start as that user, or let them pass (chmod a+x on the folders above).`,
      );
    }
  }
  return { folder, cluster: join(folder, 'postgres'), owner, stageUnder: [rootsFolder, folder] };
}

/** Makes the folder for the data of a gateway where it is not there; says in words what stands in the way. */
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

/** Finds or makes the home of this DATA_DIR (created when absent). Throws when another user's database lies there. */
export async function findHome(dataDir: string): Promise<Home> {
  const isRoot = process.getuid?.() === 0;
  await makeDataDir(dataDir);
  const real = await realpath(dataDir);
  if (isRoot) return rootsHome(real);
  const folder = (await readPointer(real)) ?? real;
  const cluster = join(folder, 'postgres');
  const owner = existsSync(cluster) ? (await stat(cluster)).uid : process.getuid?.();
  if (owner !== process.getuid?.()) {
    throw new Error(
      `The database in ${cluster} belongs to the user ${owner}. Start as that user or as root, or choose another DATA_DIR.`,
    );
  }
  return { folder, cluster, owner: undefined, stageUnder: [real] };
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
