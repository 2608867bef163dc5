// The system user that runs the embedded server when the gateway runs as root.
import { spawn } from 'node:child_process';
import { lchown, lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The user that the server's processes run as. */
export interface Owner {
  uid: number;
  gid: number;
}

const systemUser = 'chatbot-gateway';
/** Users that other programs share. Earlier versions of this program ran the server as one of these. */
const sharedUsers = ['postgres', '_postgres', 'nobody'];
const passwdFile = '/etc/passwd';
const home = '/var/lib/chatbot-gateway';
const shell = '/usr/sbin/nologin';
/** Commands of shadow-utils and of BusyBox. */
const createUserCommands: [string, string[]][] = [
  [
    'useradd',
    ['--system', '--user-group', '--no-create-home', '--home-dir', home, '--shell', shell, systemUser],
  ],
  ['adduser', ['-S', '-D', '-H', '-h', home, '-s', shell, systemUser]],
];
const maxAttempts = 20;
const gapMs = 100;

async function accounts(): Promise<Map<string, Owner>> {
  const lines = (await readFile(passwdFile, 'utf8')).split('\n').map((line) => line.split(':'));
  return new Map(lines.map(([name = '', , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]));
}

/** The command's error output; undefined if it succeeded. */
function run(command: string, args: string[]): Promise<string | undefined> {
  const env = { PATH: '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin' };
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  let output = '';
  child.stderr.on('data', (bytes) => {
    output += bytes;
  });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? undefined : `${command}: ${output.trim()}`));
  });
}

/**
 * Returns this program's system user, created if it is missing (needs root). If that fails, throws an error that names the
 * command to run.
 */
export async function ensureSystemUser(): Promise<Owner> {
  const problems = new Set<string>();
  // another process may be creating the user: it has the lock of /etc/passwd
  for (let count = 0; count < maxAttempts; count += 1) {
    const found = (await accounts()).get(systemUser);
    if (found) return found;
    const missing: string[] = [];
    for (const [command, args] of createUserCommands) {
      const problem = await run(command, args);
      if (problem === undefined) break;
      problems.add(problem);
      if (/ENOENT/.test(problem)) missing.push(command);
    }
    if (missing.length === createUserCommands.length) break;
    await sleep(gapMs);
  }
  const found = (await accounts()).get(systemUser);
  if (found) return found;
  throw new Error(
    `PostgreSQL refuses to run as root, and the system user "${systemUser}" to run it could not be created (${[...problems].join('; ')}). ` +
      `Create it (useradd --system --user-group ${systemUser}), start the gateway as an ordinary user, or set DATABASE_URL.`,
  );
}

/**
 * The user that the data must belong to when root starts the gateway. `found` and `dataDir` are the current owners of the
 * database and of DATA_DIR. An ordinary user keeps their data. Data of root or of a shared user moves to our system user.
 */
export async function ownerFor(found: Owner | undefined, dataDir: Owner): Promise<Owner> {
  if (found === undefined || found.uid === 0) return ensureSystemUser();
  const known = await accounts();
  const isShared = sharedUsers.some((name) => known.get(name)?.uid === found.uid);
  const isNobody = known.get('nobody')?.uid === found.uid;
  // an administrator may start the gateway as the user postgres
  const isTheirOwn = dataDir.uid === found.uid && !isNobody;
  return isShared && !isTheirOwn ? ensureSystemUser() : { uid: found.uid, gid: found.gid };
}

/**
 * Changes the owner of a folder and everything in it, the folder itself last, so that the next call finishes after a crash.
 * Does not follow symbolic links. Throws on files with hard links: the former owner may have linked a file of somebody else.
 */
export async function changeOwner(owner: Owner, folder: string): Promise<void> {
  if ((await lstat(folder)).uid === owner.uid) return;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const found = await lstat(path);
    if (!found.isDirectory() && found.nlink > 1)
      throw new Error(`${path} has hard links, so its owner cannot be changed safely.`);
    if (found.uid !== owner.uid) await lchown(path, owner.uid, owner.gid);
  }
  await lchown(folder, owner.uid, owner.gid);
}
