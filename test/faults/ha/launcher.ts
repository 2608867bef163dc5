// The processes of a cluster: in a folder of their own, as the user of PostgreSQL if root starts them, and ended with this process.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Launcher {
  folder: string;
  makeFolder(name: string): string;
  writeFile(path: string, text: string): void;
  /** Starts a program; its output is in `<name>.log` of the folder. */
  launch(name: string, program: string, args: string[]): ChildProcess;
  /** Kills what still runs and removes the folder, unless HA_KEEP is set. */
  close(): Promise<void>;
}

/** PostgreSQL refuses to run as root. */
function ownerIfRoot(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Opens a launcher; `programs` is a folder that its processes search first. */
export function openLauncher(programs: string): Launcher {
  const folder = mkdtempSync(join(tmpdir(), 'ha-'));
  chmodSync(folder, 0o755);
  const owner = ownerIfRoot();
  const own = (path: string) => owner && chownSync(path, owner.uid, owner.gid);
  own(folder);
  const running = new Set<ChildProcess>();
  const killAll = () => {
    for (const child of running) child.kill('SIGKILL');
  };
  process.once('exit', killAll);
  return {
    folder,
    makeFolder(name) {
      const path = join(folder, name);
      mkdirSync(path, { mode: 0o700 });
      own(path);
      return path;
    },
    writeFile(path, text) {
      writeFileSync(path, text);
      own(path);
    },
    launch(name, program, args) {
      const log = openSync(join(folder, `${name}.log`), 'a');
      const child = spawn(program, args, {
        ...owner,
        cwd: folder,
        stdio: ['ignore', log, log],
        env: { PATH: `${programs}${delimiter}${process.env.PATH}`, HOME: folder, LC_ALL: 'C.UTF-8' },
      });
      running.add(child);
      child.once('exit', () => running.delete(child));
      child.once('error', () => running.delete(child));
      return child;
    },
    async close() {
      process.off('exit', killAll);
      killAll();
      while (running.size > 0) await sleep(20);
      if (!process.env.HA_KEEP)
        rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
