// The system user that runs the embedded server when the gateway runs as root: made once, and the owner of the data.
import { spawn } from 'node:child_process';
import { lchown, lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whom the server's processes run as; absent: as ourselves. */
export interface Owner {
  uid: number;
  gid: number;
}

export const systemUser = 'chatbot-gateway';
/** Accounts that other programs use too: earlier versions of this program ran the server as one of these. */
const sharedUsers = ['postgres', '_postgres', 'nobody'];
const passwdFile = '/etc/passwd';
const home = '/var/lib/chatbot-gateway';
const shell = '/usr/sbin/nologin';
/** shadow's, then BusyBox's. */
const makers: [string, string[]][] = [
  [
    'useradd',
    ['--system', '--user-group', '--no-create-home', '--home-dir', home, '--shell', shell, systemUser],
  ],
  ['adduser', ['-S', '-D', '-H', '-h', home, '-s', shell, systemUser]],
];
const tries = 20;
const gapMs = 100;

async function accounts(): Promise<Map<string, Owner>> {
  const lines = (await readFile(passwdFile, 'utf8')).split('\n').map((line) => line.split(':'));
  return new Map(lines.map(([name = '', , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]));
}

/** What went wrong, in the command's own words; undefined: nothing. */
function run(command: string, args: string[]): Promise<string | undefined> {
  const env = { PATH: '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin' };
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  let said = '';
  child.stderr.on('data', (bytes) => {
    said += bytes;
  });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? undefined : `${command}: ${said.trim()}`));
  });
}

/**
 * The system user of this program, made where it is missing (needs root). Throws with the command to run where the
 * machine lets nobody make it.
 */
export async function systemOwner(): Promise<Owner> {
  const problems = new Set<string>();
  // several first starts at the same time: one holds the lock of the account files
  for (let count = 0; count < tries; count += 1) {
    const found = (await accounts()).get(systemUser);
    if (found) return found;
    const missing: string[] = [];
    for (const [command, args] of makers) {
      const problem = await run(command, args);
      if (problem === undefined) break;
      problems.add(problem);
      if (/ENOENT/.test(problem)) missing.push(command);
    }
    if (missing.length === makers.length) break;
    await sleep(gapMs);
  }
  const found = (await accounts()).get(systemUser);
  if (found) return found;
  throw new Error(
    `PostgreSQL refuses to run as root, and the system user "${systemUser}" that would run it could not be made (${[...problems].join('; ')}). ` +
      `Make it (useradd --system --user-group ${systemUser}), start the gateway as an ordinary user, or set DATABASE_URL.`,
  );
}

/**
 * Whom the data of a root's gateway shall belong to. `found` and `dataDir` are the owners of what exists. Data that an
 * ordinary user's start made stays that user's; data of root, or of a user shared with other programs, moves to ours.
 */
export async function ownerFor(found: Owner | undefined, dataDir: Owner): Promise<Owner> {
  if (found === undefined || found.uid === 0) return systemOwner();
  const known = await accounts();
  const isShared = sharedUsers.some((name) => known.get(name)?.uid === found.uid);
  const isNobody = known.get('nobody')?.uid === found.uid;
  // an administrator may well start the gateway as the user postgres
  const isTheirOwn = dataDir.uid === found.uid && !isNobody;
  return isShared && !isTheirOwn ? systemOwner() : { uid: found.uid, gid: found.gid };
}

/**
 * Gives a folder and all in it to `owner`, the folder itself last: after a crash in between, the next call finishes.
 * Follows no symbolic link, and refuses files that have a second name elsewhere: who owned the folder may have put both there.
 */
export async function giveTo(owner: Owner, folder: string): Promise<void> {
  if ((await lstat(folder)).uid === owner.uid) return;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const found = await lstat(path);
    if (!found.isDirectory() && found.nlink > 1)
      throw new Error(`${path} has more than one name (hard links), so its owner cannot be changed safely.`);
    if (found.uid !== owner.uid) await lchown(path, owner.uid, owner.gid);
  }
  await lchown(folder, owner.uid, owner.gid);
}
