// The real command as a child process, on a DATA_DIR of its own, with nothing of it left behind afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Demo } from '../../demo/seed.ts';
import { makeDataDir } from '../../src/db/embedded-folders.ts';
import { templateCluster } from './template-cluster.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const cli = join(root, 'src/cli.ts');

/** How a process ended. */
export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

export interface Program {
  process: ChildProcess;
  pid: number;
  /** What it wrote so far. */
  out(): string;
  err(): string;
  /** Resolves when both its outputs together fit `pattern`; rejects if it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<End>;
}

export interface ProgramOptions {
  env?: Record<string, string | undefined>;
  /** Another command than `node src/cli.ts`. */
  command?: [string, ...string[]];
  cwd?: string;
}

/** A folder for one test's DATA_DIR, what runs on it, and its end. `migrated`: with a database, as an earlier start left it. */
export async function openWorkplace({ migrated = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'start-test-'));
  // as root the database runs as another user, who must be able to pass
  await chmod(folder, 0o711);
  const dataDir = join(folder, 'data');
  if (migrated) {
    await makeDataDir(dataDir);
    await templateCluster()?.restore(dataDir);
  }
  const programs: Program[] = [];

  function start(args: string[], options: ProgramOptions = {}): Program {
    const [file, ...before] = options.command ?? [process.execPath, cli];
    const child = spawn(file, [...before, ...args], {
      // not the checkout, whose .env is the developer's
      cwd: options.cwd ?? (options.command ? root : folder),
      // a group of its own, as a shell gives to what it starts
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

  return {
    folder,
    dataDir,
    start,
    /** Runs a command to its end. */
    run: (args: string[], options: ProgramOptions = {}) => start(args, options).ended,
    /** Starts the gateway with its sandbox and resolves when it has printed everything. */
    async startDemo(options: ProgramOptions = {}): Promise<{ program: Program; demo: Demo }> {
      const program = start(['start', '--sandbox'], options);
      await program.says(/Ctrl-C stops everything/);
      return { program, demo: JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo };
    },
    /** Every process that works in the folder or was told of it (where /proc tells). */
    living: () => processesOf(folder),
    /** Ends what a failed test left, and removes the folder. */
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

export type Workplace = Awaited<ReturnType<typeof openWorkplace>>;

function watch(child: ChildProcess): Program {
  let out = '';
  let err = '';
  const listeners = new Set<() => void>();
  const told = () => {
    for (const listener of [...listeners]) listener();
  };
  child.stdout?.on('data', (bytes) => {
    out += bytes;
    told();
  });
  child.stderr?.on('data', (bytes) => {
    err += bytes;
    told();
  });
  const ended = new Promise<End>((resolve, reject) => {
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
    // it has ended
  }
}

/** The processes whose working folder or arguments lie in `folder`; ended ones that nobody has collected are not listed. */
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
