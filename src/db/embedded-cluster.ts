// Makes the data directory once: initdb into a folder beside it, then one rename, so that half a database never counts as one.
import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Home, makePrivateFolder } from './embedded-home.ts';
import type { Program } from './embedded-program.ts';

/** Makes the database and the program's role; used for nothing else. */
export const administrator = 'gateway';
/** The role of the program: no superuser, owns the database and what is in it. */
export const programRole = 'gateway_app';
const passwordName = 'gateway.password';

async function run(command: string, args: string[], owner: Home['owner']): Promise<void> {
  const onWindows = process.platform === 'win32';
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(onWindows ? {} : { cwd: '/', env: {} }),
    ...owner,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      said += bytes;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).catch((error: Error) => {
    throw new Error(
      `${command} could not be run (${error.message}). PostgreSQL's files need a system with the GNU C library; elsewhere set DATABASE_URL.`,
      { cause: error },
    );
  });
  if (code !== 0)
    throw new Error(`The database could not be made: initdb ended with ${code}. It said:\n${said.trim()}`);
}

async function initialise(home: Home, program: Program): Promise<void> {
  const unfinished = await makePrivateFolder(`${home.cluster}.new-`, home.owner);
  try {
    const password = join(unfinished, 'password');
    await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (home.owner) await chown(password, home.owner.uid, home.owner.gid);
    const cluster = join(unfinished, 'cluster');
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
    await run(initdb, ['-D', cluster, ...as, ...text, '--data-checksums'], home.owner);
    await rename(password, join(cluster, passwordName));
    await rename(cluster, home.cluster).catch((error: NodeJS.ErrnoException) => {
      // another start was quicker: its data directory is as good
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Makes the data directory unless it is there (about a second); refuses one of another major version of PostgreSQL. */
export async function ensureCluster(home: Home, program: Program): Promise<void> {
  if (!existsSync(home.cluster)) await initialise(home, program);
  const version = (
    await readFile(join(home.cluster, 'PG_VERSION'), 'utf8').catch(() => 'an unknown version')
  ).trim();
  if (version === program.major) return;
  throw new Error(
    `The database in ${home.cluster} was made by PostgreSQL ${version}, and this program brings ${program.major}. ` +
      'Make a backup with the version of the program that made it, then restore it into a new DATA_DIR.',
  );
}

export interface Passwords {
  administrator: string;
  /** Made of the administrator's, so that there is one secret, and never a moment at which only half of it is kept. */
  program: string;
}

/** The passwords of this data directory; only the server's user and root can read them. */
export async function readPasswords(cluster: string): Promise<Passwords> {
  const secret = await readFile(join(cluster, passwordName), 'utf8');
  return {
    administrator: secret,
    program: createHmac('sha256', secret).update(programRole).digest('base64url'),
  };
}
