// The pointer from DATA_DIR to a database outside it, and the record of the owning DATA_DIR, so that a copy never opens the original's database.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { replaceFile } from './replace-file.ts';

export const rootsFolder = '/var/lib/chatbot-gateway';
/** File in DATA_DIR: the path of the database's folder, if the server's user may not enter DATA_DIR. */
const pointerName = 'postgres.location';
/** File in the database's folder: the DATA_DIR that owns it, as path and as `device:inode`. */
const recordName = 'data-dir';

const nameFor = (dataDir: string) => createHash('sha256').update(dataDir).digest('hex').slice(0, 8);

async function identityOf(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}

const textOr = (path: string, other: string) =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return other;
    throw error;
  });

const writeRecord = async (path: string, dataDir: string) =>
  replaceFile(path, `${dataDir}\n${await identityOf(dataDir)}\n`);

/** True if `other` is a different folder from `dataDir` and points to the database or contains it. */
async function hasOwnDatabase(dataDir: string, other: string): Promise<boolean> {
  if (!existsSync(join(other, pointerName)) && !existsSync(join(other, 'postgres'))) return false;
  return (await identityOf(other)) !== (await identityOf(dataDir));
}

/**
 * Whether the database of `record` belongs to `dataDir` (a real path), and who owns it. The path matches, or the inode
 * does, if DATA_DIR was moved or mounted a second time. For a copy, neither matches.
 */
async function checkOwner(record: string, dataDir: string): Promise<{ yes: boolean; owner: string }> {
  const [owner = '', identity] = (await textOr(record, '')).split('\n').map((line) => line.trim());
  if (owner === '') {
    // made by a version without records: the folder's name contains the digest of its DATA_DIR's path
    const name = basename(dirname(record));
    const isOurs = !/^[0-9a-f]{8}-\w{6}$/.test(name) || name.startsWith(`${nameFor(dataDir)}-`);
    return { yes: isOurs, owner: 'another DATA_DIR' };
  }
  if (owner === dataDir) return { yes: true, owner };
  return { yes: identity === (await identityOf(dataDir)) && !(await hasOwnDatabase(dataDir, owner)), owner };
}

async function requireOwner(record: string, dataDir: string): Promise<void> {
  const { yes, owner } = await checkOwner(record, dataDir);
  if (yes) return;
  throw new Error(
    `DATA_DIR ${dataDir} is a copy of ${owner}, or was moved from there. Its database is in ${dirname(record)} and belongs to ${owner}. Nothing was opened. ` +
      'A copy needs its own copy of the database: see "Copy a data directory" in docs/operations.md. ' +
      `If DATA_DIR was moved and no gateway uses ${owner} any more, run: echo ${dataDir} > ${record}`,
  );
}

/** The folder that `dataDir` points to; undefined without a pointer. Throws if that folder is missing or belongs to another DATA_DIR. */
export async function readPointer(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, pointerName);
  const folder = (await textOr(path, '')).trim();
  if (folder === '') return undefined;
  if (!existsSync(folder))
    throw new Error(
      `The database folder ${folder}, named in ${path}, does not exist. ` +
        'Put it back, or restore a backup into a new DATA_DIR.',
    );
  await requireOwner(join(folder, recordName), dataDir);
  return folder;
}

/** The record's path if DATA_DIR's `postgres` is a symbolic link; undefined if the database is in DATA_DIR itself. */
async function linkedRecord(dataDir: string, cluster: string): Promise<string | undefined> {
  const real = await realpath(cluster);
  return real.startsWith(join(dataDir, '/')) ? undefined : join(real, `gateway.${recordName}`);
}

/** Throws if DATA_DIR's `postgres` is a symbolic link to the database of another DATA_DIR. */
export async function checkLinkOwner(dataDir: string, cluster: string): Promise<void> {
  const record = existsSync(cluster) ? await linkedRecord(dataDir, cluster) : undefined;
  if (record !== undefined) await requireOwner(record, dataDir);
}

/** Writes the record of a database outside `dataDir` if it is missing or `dataDir` was moved. Check the owner first. */
export async function recordOwner(dataDir: string, folder: string, cluster: string): Promise<void> {
  const linked = existsSync(cluster) ? await linkedRecord(dataDir, cluster) : undefined;
  const record = folder === dataDir ? linked : join(folder, recordName);
  if (record === undefined) return;
  const text = await textOr(record, '');
  if (text !== `${dataDir}\n${await identityOf(dataDir)}\n`) await writeRecord(record, dataDir);
}

/** Creates a folder outside DATA_DIR and the pointer to it. If two processes do so concurrently, the first wins. */
export async function makeFolderOutside(dataDir: string): Promise<string> {
  const known = await readPointer(dataDir);
  if (known) return known;
  await makeFolder(join(rootsFolder, 'data'), 0o755);
  const folder = await mkdtemp(join(rootsFolder, 'data', `${nameFor(dataDir)}-`));
  await writeRecord(join(folder, recordName), dataDir);
  try {
    await writeFile(join(dataDir, pointerName), `${folder}\n`, { flag: 'wx', mode: 0o644 });
    return folder;
  } catch {
    await rm(folder, { recursive: true });
    return (await readPointer(dataDir)) ?? folder;
  }
}
