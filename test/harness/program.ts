// The command line as a child process with its own DATA_DIR, cleaned up after the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Demo } from '../../demo/seed.ts';
import { makeDataDir } from '../../src/db/embedded/folders.ts';
import { templateCluster } from './template-cluster.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const cli = join(root, 'src/cli.ts');

/** The result of a process. */
export interface ProgramResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

export interface Program {
  process: ChildProcess;
  pid: number;
  /** The output so far. */
  out(): string;
  err(): string;
  /** Resolves when both outputs together match `pattern`; rejects if the process exits first. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<ProgramResult>;
}

export interface ProgramOptions {
  env?: Record<string, string | undefined>;
  /** A command instead of `node src/cli.ts`. */
  command?: [string, ...string[]];
  cwd?: string;
}

/** A folder for one test's DATA_DIR and its programs. `migrated`: with a database from an earlier start. */
export async function openProgramFolder({ migrated = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'start-test-'));
  // started by root, the database runs as another user, who must be able to enter
  await chmod(folder, 0o711);
  const dataDir = join(folder, 'data');
  if (migrated) await makeDataDir(dataDir);
  const isRestored = migrated && (await templateCluster()?.restore(dataDir));
  const programs: Program[] = [];

  function start(args: string[], options: ProgramOptions = {}): Program {
    const [file, ...before] = options.command ?? [process.execPath, cli];
    const child = spawn(file, [...before, ...args], {
      // not the checkout, which may have a developer's .env
      cwd: options.cwd ?? (options.command ? root : folder),
      // its own process group, as in a shell
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
        HOME: folder,
        PORT: '0',
        DATA_DIR: dataDir,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        SHUTDOWN_DELAY_SECONDS: '0',
        ...options.env,
      },
    });
    const program = watch(child);
    programs.push(program);
    return program;
  }

  // the first run of a checkout keeps its cluster only when it ends
  if (migrated && !isRestored) await start(['migrate']).ended;

  return {
    folder,
    dataDir,
    start,
    /** Runs a command until it exits. */
    run: (args: string[], options: ProgramOptions = {}) => start(args, options).ended,
    /** Starts the gateway with its sandbox and resolves when it has printed everything. */
    async startDemo(options: ProgramOptions = {}): Promise<{ program: Program; demo: Demo }> {
      const program = start(['start', '--sandbox'], options);
      await program.says(/Ctrl-C stops everything/);
      return { program, demo: JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo };
    },
    /** All processes with the folder as working directory or argument (needs /proc). */
    living: () => processesOf(folder),
    /** Kills processes that a failed test left, and removes the folder. */
    async close() {
      for (const program of programs) {
        program.process.kill('SIGKILL');
        await program.ended;
      }
      for (const { pid } of processesOf(folder)) kill(pid);
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

export type ProgramFolder = Awaited<ReturnType<typeof openProgramFolder>>;

function watch(child: ChildProcess): Program {
  let out = '';
  let err = '';
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  child.stdout?.on('data', (bytes) => {
    out += bytes;
    notify();
  });
  child.stderr?.on('data', (bytes) => {
    err += bytes;
    notify();
  });
  const ended = new Promise<ProgramResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    out: () => out,
    err: () => err,
    ended,
    says(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(`${out}\n${err}`);
          if (!found) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        ended.then(
          (end) =>
            reject(new Error(`It ended (${end.code ?? end.signal}) before it said ${pattern}: ${err}`)),
          reject,
        );
      });
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has already exited
  }
}

/** The processes whose working directory or arguments are in `folder`, without zombies. */
function processesOf(folder: string): { pid: number; command: string }[] {
  if (!existsSync('/proc/self/cwd')) return [];
  return readdirSync('/proc')
    .map(Number)
    .flatMap((pid) => {
      if (!(pid > 0)) return [];
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        if (command === '') return [];
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        const isOurs =
          command.includes(folder) ||
          environment.includes(`DATA_DIR=${folder}/`) ||
          readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
        return isOurs ? [{ pid, command }] : [];
      } catch {
        return [];
      }
    });
}

/** Time until container and service managers send SIGKILL. */
export const patienceMs = 30_000;

/** Runs `act`; returns the program's result and how long it took. */
export async function endBy(program: Program, act: () => void): Promise<ProgramResult & { tookMs: number }> {
  const began = performance.now();
  act();
  const end = await program.ended;
  return { ...end, tookMs: performance.now() - began };
}

/** Sends the signal until the program ends: what comes shortly after the first one counts as the same. */
export function killRepeatedly(program: Program, signal: NodeJS.Signals): void {
  const repeating = setInterval(() => program.process.kill(signal), 100);
  void program.ended.finally(() => clearInterval(repeating));
}
