// The database's folder where it lies outside DATA_DIR: DATA_DIR points to it, and it records whose it is, so that a copy of DATA_DIR never opens it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from './replace-file.ts';

export const rootsFolder = '/var/lib/chatbot-gateway';
/** In DATA_DIR: says where the data lies instead, when the server's user may not enter DATA_DIR. */
const pointerName = 'postgres.location';
/** In the database's folder: the DATA_DIR that it belongs to, as its path and as `device:inode`. */
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

/** True if `other` is another folder than `dataDir` and has a claim of its own on the same database. */
async function isRival(dataDir: string, other: string): Promise<boolean> {
  if (!existsSync(join(other, pointerName)) && !existsSync(join(other, 'postgres'))) return false;
  return (await identityOf(other)) !== (await identityOf(dataDir));
}

/**
 * Whether the folder that `record` describes belongs to `dataDir` (a real path): `no` names the owner. By its path, or
 * by its inode where it was moved or is mounted a second time; a copy has neither.
 */
async function belongs(record: string, dataDir: string): Promise<{ yes: boolean; owner: string }> {
  const [owner = '', identity] = (await textOr(record, '')).split('\n').map((line) => line.trim());
  if (owner === '') {
    // made before there were records: its name holds the digest of the path that it was made for
    const name = basename(dirname(record));
    const isOurs = !/^[0-9a-f]{8}-\w{6}$/.test(name) || name.startsWith(`${nameFor(dataDir)}-`);
    return { yes: isOurs, owner: 'another DATA_DIR' };
  }
  if (owner === dataDir) return { yes: true, owner };
  return { yes: identity === (await identityOf(dataDir)) && !(await isRival(dataDir, owner)), owner };
}

async function mustBelong(record: string, dataDir: string): Promise<void> {
  const { yes, owner } = await belongs(record, dataDir);
  if (yes) return;
  throw new Error(
    `DATA_DIR ${dataDir} is a copy of ${owner}, or was moved from there: its database lies in ${dirname(record)} and belongs to ${owner}. Nothing was opened. ` +
      'A copy needs a copy of the database too: see "Copy a data directory" in docs/operations.md. ' +
      `If it was moved, and no gateway uses ${owner} any more: echo ${dataDir} > ${record}`,
  );
}

/** Where the pointer of `dataDir` leads; undefined: there is none. Throws if that folder is gone or another DATA_DIR's. */
export async function readPointer(dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, pointerName);
  const folder = (await textOr(path, '')).trim();
  if (folder === '') return undefined;
  if (!existsSync(folder))
    throw new Error(
      `The database of ${dataDir} lay in ${folder} (so says ${path}), and that folder is gone. ` +
        'Put it back, or restore a backup into a new DATA_DIR.',
    );
  await mustBelong(join(folder, recordName), dataDir);
  return folder;
}

/** The record of a database that a symbolic link in DATA_DIR leads to; undefined: it lies in DATA_DIR itself. */
async function linkedRecord(dataDir: string, cluster: string): Promise<string | undefined> {
  const real = await realpath(cluster);
  return real.startsWith(join(dataDir, '/')) ? undefined : join(real, `gateway.${recordName}`);
}

/** Throws if DATA_DIR's own `postgres` is a symbolic link to a database of another DATA_DIR. */
export async function checkLinked(dataDir: string, cluster: string): Promise<void> {
  const record = existsSync(cluster) ? await linkedRecord(dataDir, cluster) : undefined;
  if (record !== undefined) await mustBelong(record, dataDir);
}

/** Records that the database, which was found to belong to `dataDir`, does: where no record is, or `dataDir` was moved. */
export async function bind(dataDir: string, folder: string, cluster: string): Promise<void> {
  const linked = existsSync(cluster) ? await linkedRecord(dataDir, cluster) : undefined;
  const record = folder === dataDir ? linked : join(folder, recordName);
  if (record === undefined) return;
  const text = await textOr(record, '');
  if (text !== `${dataDir}\n${await identityOf(dataDir)}\n`) await writeRecord(record, dataDir);
}

/** Makes a folder outside DATA_DIR and records it there; of two that do so at the same time, the first wins. */
export async function settleElsewhere(dataDir: string): Promise<string> {
  const known = await readPointer(dataDir);
  if (known) return known;
  await mkdir(join(rootsFolder, 'data'), { recursive: true, mode: 0o755 });
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
