// A child process that starts the embedded database, with its events; tests kill it at chosen steps.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface Options {
  dataDir: string;
  upgrade: boolean;
  /** A file of this folder. */
  preload?: string;
  env: Record<string, string>;
}

/** Starts `embedded-process.ts`. `event` resolves with the next event of that name; rejects if the process ends without it. */
export function startChild({ dataDir, upgrade, preload, env }: Options) {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const args = preload === undefined ? [] : ['--import', file(preload)];
  const child = spawn(
    process.execPath,
    [...args, file('embedded-process.ts'), dataDir, ...(upgrade ? ['upgrade'] : [])],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } },
  );
  // it may be dead
  child.stdin.on('error', () => {});
  const seen: { event: string }[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    seen.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return {
    ended,
    send: (line: string) => void child.stdin.write(`${line}\n`),
    event<T>(name: string): Promise<T> {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = seen.find(({ event }) => event === name);
          if (!found) return;
          waiting.delete(look);
          resolve(found as T);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`no event ${name}: ${JSON.stringify(seen)}`)));
      });
    },
  };
}
