// CPU time and memory of processes, from Linux's /proc; undefined on other systems.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time in ticks, 100 per second on every platform of Node. */
const tickMs = 10;

interface Stat {
  parent: number;
  ownMs: number;
  /** CPU time of children that ended and were waited for. */
  endedChildrenMs: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // the second field is the name in brackets, which may contain spaces; after it follows field 3
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    return {
      parent: field(4),
      ownMs: (field(14) + field(15)) * tickMs,
      endedChildrenMs: (field(16) + field(17)) * tickMs,
    };
  } catch {
    return undefined;
  }
}

/** CPU milliseconds of a process; undefined if unknown. */
export function cpuMs(pid: number): number | undefined {
  return statOf(pid)?.ownMs;
}

/** CPU milliseconds of a process with its children, including ended ones; undefined if unknown. */
export function familyCpuMs(pid: number): number | undefined {
  const own = statOf(pid);
  if (!own) return undefined;
  let sum = own.ownMs + own.endedChildrenMs;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(Number(name));
    if (stat?.parent === pid) sum += stat.ownMs + stat.endedChildrenMs;
  }
  return sum;
}

/** Resident memory of a process in bytes; undefined if unknown. */
export function residentBytes(pid: number): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return found ? Number(found[1]) * 1024 : undefined;
  } catch {
    return undefined;
  }
}

/** Functions that read the CPU time of each process. */
export type Meters = Record<string, () => number | undefined>;
export type Readings = Record<string, number | undefined>;

export function read(meters: Meters): Readings {
  return Object.fromEntries(Object.entries(meters).map(([name, meter]) => [name, meter()]));
}

/** CPU milliseconds per piece of work between two readings. */
export function perPiece(before: Readings, after: Readings, pieces: number): Readings {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => {
      const earlier = before[name];
      return [name, value === undefined || earlier === undefined ? undefined : (value - earlier) / pieces];
    }),
  );
}
