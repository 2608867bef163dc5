// Creation of the PostgreSQL data directory: initdb into a temporary folder, then one rename, so that it is never incomplete.
import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, rejectDataDir, type ServerFolders, unfinishedPrefix } from './folders.ts';
import type { Program } from './program.ts';

/** The superuser: creates the database and the program's role, nothing else. */
export const administrator = 'gateway';
/** The program's role: not a superuser; owns the database and everything in it. */
export const programRole = 'gateway_app';
const passwordName = 'gateway.password';

async function run(command: string, args: string[], owner: ServerFolders['owner']): Promise<void> {
  const onWindows = process.platform === 'win32';
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(onWindows ? {} : { cwd: '/', env: {} }),
    ...owner,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).catch((error: Error) => {
    throw new Error(
      `${command} could not be run (${error.message}). The embedded PostgreSQL needs the GNU C library; on other systems set DATABASE_URL.`,
      { cause: error },
    );
  });
  if (code !== 0)
    throw new Error(
      `The database could not be created: initdb exited with ${code}. Its output:\n${output.trim()}`,
    );
}

async function initialise(folders: ServerFolders, program: Program): Promise<void> {
  const temporary = await makePrivateFolder(join(folders.folder, unfinishedPrefix), folders.owner).catch(
    rejectDataDir,
  );
  try {
    const password = join(temporary, 'password');
    await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (folders.owner) await chown(password, folders.owner.uid, folders.owner.gid);
    const cluster = join(temporary, 'cluster');
    const initdb = join(program.folder, 'bin', process.platform === 'win32' ? 'initdb.exe' : 'initdb');
    const as = [
      '--username',
      administrator,
      '--pwfile',
      password,
      '--auth-local=scram-sha-256',
      '--auth-host=scram-sha-256',
    ];
    const text = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    await run(initdb, ['-D', cluster, ...as, ...text, '--data-checksums'], folders.owner);
    await rename(password, join(cluster, passwordName));
    await rename(cluster, folders.cluster).catch((error: NodeJS.ErrnoException) => {
      // another process created it first; use that one
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The major version of PostgreSQL that made the directory; undefined if there is none. */
export async function majorOf(cluster: string): Promise<string | undefined> {
  const text = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** Creates the data directory if it is missing (about a second). Throws if it belongs to another major version of PostgreSQL. */
export async function ensureCluster(folders: ServerFolders, program: Program): Promise<void> {
  if (!existsSync(folders.cluster)) await initialise(folders, program);
  const version = (await majorOf(folders.cluster)) ?? 'an unknown version';
  if (version === program.major) return;
  throw new Error(
    `The database in ${folders.cluster} was created by PostgreSQL ${version}, but this program includes ${program.major}. ` +
      (Number(version) < Number(program.major)
        ? 'Only "start" and "migrate" move it to the new version: run one of them first.'
        : 'Start the newer version of the gateway, or restore a backup into a new DATA_DIR.'),
  );
}

export interface Passwords {
  administrator: string;
  /** Derived from the administrator's password, so that only one secret is stored. */
  program: string;
}

/** Reads the passwords of this data directory. Only the server's user and root can read them. */
export async function readPasswords(cluster: string): Promise<Passwords> {
  const secret = await readFile(join(cluster, passwordName), 'utf8');
  return {
    administrator: secret,
    program: createHmac('sha256', secret).update(programRole).digest('base64url'),
  };
}
