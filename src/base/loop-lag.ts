// How late the event loop of a thread runs its timers, and its gauges, in memory that another thread reads even while this one is stuck.
import { machineMs } from './steady.ts';

/** Between two measurements. */
export const lagEveryMs = 500;

const cell = { beatMs: 0, maxLagMs: 1, gauges: 2 } as const;

/** Memory for one thread's lag and `gauges` further numbers. */
export const lagMemory = (gauges = 0): SharedArrayBuffer => new SharedArrayBuffer((cell.gauges + gauges) * 8);

/** Measures the calling thread into `memory` until stopped, with what `gauges` returns. Keeps no process alive. */
export function measureLag(
  memory: SharedArrayBuffer,
  gauges: () => readonly number[] = () => [],
): () => void {
  const cells = new Float64Array(memory);
  let dueMs = machineMs() + lagEveryMs;
  cells[cell.beatMs] = machineMs();
  const timer = setInterval(() => {
    const now = machineMs();
    cells[cell.maxLagMs] = Math.max(cells[cell.maxLagMs] ?? 0, now - dueMs);
    cells.set(gauges(), cell.gauges);
    cells[cell.beatMs] = now;
    dueMs = now + lagEveryMs;
  }, lagEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The longest lag in milliseconds since the last call; of a thread that is stuck now, how long it has been. */
export function takeLag(memory: SharedArrayBuffer): number {
  const cells = new Float64Array(memory);
  const measured = cells[cell.maxLagMs] ?? 0;
  cells[cell.maxLagMs] = 0;
  const beat = cells[cell.beatMs] ?? 0;
  // not started yet
  if (beat === 0) return 0;
  return Math.max(0, measured, machineMs() - beat - lagEveryMs);
}

/** A further number that the measured thread wrote last. */
export const gaugeOf = (memory: SharedArrayBuffer, index: number): number =>
  new Float64Array(memory)[cell.gauges + index] ?? 0;
