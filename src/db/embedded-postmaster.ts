// The server's main process: read its pid file, tell whether it lives, start it so that it survives us, end it for sure.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rotateServerLog } from './embedded-log.ts';
import type { Owner } from './embedded-owner.ts';
import { admissionText } from './embedded-settings.ts';
import { replaceFile } from './replace-file.ts';

export interface Postmaster {
  pid: number;
  /** The whole text, to tell this server's file from the next one's. */
  text: string;
  reach: { socketFolder: string } | { port: number };
}

const pollMs = 10;
// fast, immediate, kill; and how long each may take
const endings: [NodeJS.Signals, number][] = [
  ['SIGINT', 5000],
  ['SIGQUIT', 3000],
  ['SIGKILL', 3000],
];
const exe = process.platform === 'win32' ? '.exe' : '';

/** Where a server of this data directory says that it runs (PostgreSQL's `postmaster.pid`); it may be dead. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    },
  );
  const [pid, , , port, socketFolder] = text.split('\n').map((line) => line.trim());
  // the file is written in two steps: without the port the server has only just begun
  if (!pid || !port) return undefined;
  return {
    pid: Math.abs(Number(pid)),
    text,
    reach: socketFolder ? { socketFolder } : { port: Number(port) },
  };
}

/** True if a process of this id runs; one that has ended but was not yet collected by its parent does not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(state);
}

function output(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
    });
    child.on('error', () => resolve(''));
    child.on('close', () => resolve(text));
  });
}

/** True if the process is a PostgreSQL on this data directory, not another that was given the same id after a restart. */
export async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  if (!(await isAlive(pid))) return false;
  if (process.platform === 'win32') return true;
  // the server works inside its data directory, and so is known even after that was moved
  if (existsSync('/proc/self/cwd')) return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === cluster;
  return (await output('ps', ['-p', String(pid), '-o', 'command='])).includes(cluster);
}

export interface Launch {
  /** Folder that holds `bin`. */
  program: string;
  cluster: string;
  owner: Owner | undefined;
  logFile: string;
  /** The text of its postgresql.conf. */
  settings: string;
}

/** Sees to it that the server asks for passwords; answers whether it did not until now. A running one has to be told. */
export async function requirePasswords(cluster: string): Promise<boolean> {
  const path = join(cluster, 'pg_hba.conf');
  if ((await readFile(path, 'utf8').catch(() => '')) === admissionText) return false;
  await replaceFile(path, admissionText);
  return true;
}

async function openLog(path: string, owner: Owner | undefined) {
  await rotateServerLog(path);
  const log = await open(path, 'a', 0o600);
  if (owner) await log.chown(owner.uid, owner.gid);
  return log;
}

/**
 * Starts a server in a session of its own, so that neither Ctrl-C nor our death takes it along, and resolves when it
 * has written where it is reached, or has ended (`undefined`: see its log). Whether it answers is for the caller to ask.
 */
export async function launch(what: Launch): Promise<Postmaster | undefined> {
  await replaceFile(join(what.cluster, 'postgresql.conf'), what.settings);
  await requirePasswords(what.cluster);
  const log = await openLog(what.logFile, what.owner);
  try {
    const inDirectory = ['-D', what.cluster];
    const child =
      process.platform === 'win32'
        ? // pg_ctl gives up an administrator's rights, which the server refuses to have
          spawn(join(what.program, 'bin', 'pg_ctl.exe'), [
            'start',
            '-W',
            ...inDirectory,
            '-l',
            `${what.logFile}.server`,
          ])
        : spawn(join(what.program, 'bin', `postgres${exe}`), inDirectory, {
            detached: true,
            stdio: ['ignore', log.fd, log.fd],
            cwd: '/',
            env: {},
            ...what.owner,
          });
    child.unref();
    return await firstWord(child, what.cluster);
  } finally {
    await log.close();
  }
}

async function firstWord(child: ReturnType<typeof spawn>, cluster: string): Promise<Postmaster | undefined> {
  let ended = false;
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = error;
  });
  child.on('exit', (code) => {
    // pg_ctl ends well as soon as it has started the server
    ended = process.platform !== 'win32' || code !== 0;
  });
  while (!ended) {
    if (failure) throw new Error(`PostgreSQL could not be run: ${failure.message}`, { cause: failure });
    const found = await readPostmaster(cluster);
    if (found && (process.platform === 'win32' || found.pid === child.pid)) return found;
    await sleep(pollMs);
  }
  return undefined;
}

/** Ends the server: politely (its data is written out), after 5 seconds at once, after 8 by force. Answers how far it went. */
export async function endServer(pid: number, cluster: string): Promise<NodeJS.Signals> {
  for (const [signal, patienceMs] of endings) {
    if (!(await isServerOf(pid, cluster))) return signal;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    const until = performance.now() + patienceMs;
    while (performance.now() < until) {
      if (!(await isAlive(pid))) return signal;
      await sleep(pollMs);
    }
  }
  throw new Error(`The database server (process ${pid}) does not end.`);
}
