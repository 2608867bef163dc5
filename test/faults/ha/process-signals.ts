// Signals to whole nodes: a server with all of its backends, whose process groups differ.
import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to each process that still exists. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals | 0): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // it has ended
    }
  }
}

/** The parent of a process, from /proc; undefined if it has ended. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name in brackets may contain spaces
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** A process and all of its descendants. */
export function familyOf(pid: number): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(Number(name)) }));
  const family = [pid];
  for (const one of family)
    family.push(...all.filter(({ parent }) => parent === one).map((child) => child.pid));
  return family;
}
