// A child process that speaks one JSON object a line: what it says is awaited, never slept for.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Said {
  event: string;
  [key: string]: unknown;
}

export interface Child {
  process: ChildProcess;
  /** The next thing it says; fails, with its error output, if it ends instead. */
  next(): Promise<Said>;
  tell(word: string): void;
  /** Resolves when it has ended. */
  ended: Promise<void>;
}

export interface ChildOptions {
  /** Path of a Node to run it on; ours by default. */
  node?: string;
  uid?: number;
  gid?: number;
  cwd?: string;
}

/** Runs `file` in a process group of its own. */
export function startChild(file: string, args: string[], options: ChildOptions = {}): Child {
  const { node = process.execPath, ...how } = options;
  const child = spawn(node, [file, ...args], { ...how, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (bytes) => {
    errors += bytes;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    ended,
    tell: (word) => child.stdin.write(`${word}\n`),
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The process ended without a word. It wrote: ${errors}`);
      return JSON.parse(value) as Said;
    },
  };
}
