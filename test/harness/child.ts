// A child process that writes one JSON object per line, which tests await.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ChildEvent {
  event: string;
  [key: string]: unknown;
}

export interface Child {
  process: ChildProcess;
  /** Resolves with the next line; rejects with the error output if the process exits instead. */
  next(): Promise<ChildEvent>;
  send(word: string): void;
  /** Resolves when the process has exited. */
  ended: Promise<void>;
}

export interface ChildOptions {
  /** Path of the Node binary; default: the current one. */
  node?: string;
  uid?: number;
  gid?: number;
  cwd?: string;
}

/** Runs `file` in its own process group. */
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
    send: (word) => child.stdin.write(`${word}\n`),
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The process ended without a word. It wrote: ${errors}`);
      return JSON.parse(value) as ChildEvent;
    },
  };
}
