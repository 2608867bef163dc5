// The server's main process: reads its pid file, checks whether it runs, starts it detached, and stops it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rotateServerLog } from './log.ts';
import type { Owner } from './owner.ts';
import { replaceFile } from './replace-file.ts';
import { hbaText } from './settings.ts';

export interface Postmaster {
  pid: number;
  /** The pid file's whole text, to recognize the file of a later server. */
  text: string;
  listenAddress: { socketFolder: string } | { port: number };
}

const pollMs = 10;
// PostgreSQL's fast and immediate shutdown, then a kill; each with its time limit
const stopSignals: [NodeJS.Signals, number][] = [
  ['SIGINT', 5000],
  ['SIGQUIT', 3000],
  ['SIGKILL', 3000],
];
const exe = process.platform === 'win32' ? '.exe' : '';

/** Reads PostgreSQL's `postmaster.pid`. The server that it names may have ended. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    },
  );
  const [pid, , , port, socketFolder] = text.split('\n').map((line) => line.trim());
  // PostgreSQL writes the file in two steps; without a port, the server is still starting
  if (!pid || !port) return undefined;
  return {
    pid: Math.abs(Number(pid)),
    text,
    listenAddress: socketFolder ? { socketFolder } : { port: Number(port) },
  };
}

/** True if a process with this id runs. A zombie does not count. */
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

/** True if the process is a PostgreSQL server of this data directory, not another process that got the same pid. */
export async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  if (!(await isAlive(pid))) return false;
  if (process.platform === 'win32') return true;
  // the server's working directory is its data directory, also after that was moved
  if (existsSync('/proc/self/cwd')) return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === cluster;
  return (await output('ps', ['-p', String(pid), '-o', 'command='])).includes(cluster);
}

export interface StartOptions {
  /** Folder that contains `bin`. */
  program: string;
  cluster: string;
  owner: Owner | undefined;
  logFile: string;
  /** The text of its postgresql.conf. */
  settings: string;
}

/** Makes pg_hba.conf require passwords. True if it changed: a running server then needs a reload (SIGHUP). */
export async function requirePasswords(cluster: string): Promise<boolean> {
  const path = join(cluster, 'pg_hba.conf');
  if ((await readFile(path, 'utf8').catch(() => '')) === hbaText) return false;
  await replaceFile(path, hbaText);
  return true;
}

async function openLog(path: string, owner: Owner | undefined) {
  await rotateServerLog(path);
  const log = await open(path, 'a', 0o600);
  if (owner) await log.chown(owner.uid, owner.gid);
  return log;
}

/**
 * Starts a server in its own session, so that it survives Ctrl-C and the end of this process. Resolves when the server has
 * written its pid file, or with `undefined` if it exited (see its log). It may not accept connections yet.
 */
export async function startServer(what: StartOptions): Promise<Postmaster | undefined> {
  await replaceFile(join(what.cluster, 'postgresql.conf'), what.settings);
  await requirePasswords(what.cluster);
  const log = await openLog(what.logFile, what.owner);
  try {
    const inDirectory = ['-D', what.cluster];
    const child =
      process.platform === 'win32'
        ? // pg_ctl drops administrator rights, with which the server would not start
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
    return await waitForPidFile(child, what.cluster);
  } finally {
    await log.close();
  }
}

async function waitForPidFile(
  child: ReturnType<typeof spawn>,
  cluster: string,
): Promise<Postmaster | undefined> {
  let ended = false;
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = error;
  });
  child.on('exit', (code) => {
    // pg_ctl exits with 0 as soon as it has started the server
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

/** Stops the server: a fast shutdown, after 5 seconds an immediate one, after 8 a kill. Returns the last signal sent. */
export async function stopServer(pid: number, cluster: string): Promise<NodeJS.Signals> {
  for (const [signal, waitMs] of stopSignals) {
    if (!(await isServerOf(pid, cluster))) return signal;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    const until = performance.now() + waitMs;
    while (performance.now() < until) {
      if (!(await isAlive(pid))) return signal;
      await sleep(pollMs);
    }
  }
  throw new Error(`The database server (process ${pid}) does not stop.`);
}
