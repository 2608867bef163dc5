// The conditions of a run: the machine's load and clock, and whether the baseline stayed steady enough for a figure.
import { availableParallelism, cpus, loadavg } from 'node:os';
import { nowMs } from './child.ts';
import { median } from './percentiles.ts';
import { table } from './print.ts';

export interface Conditions {
  cores: number;
  model: string;
  /** Processes that want a core, averaged over the last minute; this benchmark's own included. */
  load: number;
  /** Milliseconds of a fixed computation, the fastest of several: the clock that one core really gets. */
  clockMs: number;
}

/** A run whose baseline moved by more than this share is not good. */
const steadyWithin = 0.15;

function computationMs(): number {
  const began = nowMs();
  let value = 1;
  for (let index = 0; index < 5_000_000; index++) value = (Math.imul(value, 1_103_515_245) + 12_345) | 0;
  // the result is used, so that the loop is not optimized away
  return value === 0.5 ? 0 : nowMs() - began;
}

/** Reads the machine's conditions; takes about 50 ms. */
export function readConditions(): Conditions {
  const [load = Number.NaN] = loadavg();
  const clockMs = Math.min(...Array.from({ length: 5 }, computationMs));
  return { cores: availableParallelism(), model: cpus()[0]?.model.trim() ?? 'unknown', load, clockMs };
}

/** How far figures of the same thing moved: the largest minus the smallest, as a share of the median. */
function movement(figures: readonly number[]): number {
  return (Math.max(...figures) - Math.min(...figures)) / median(figures);
}

/** True once a workload has reported its own baseline. */
let isReported = false;

export interface Verdict {
  before: Conditions;
  after: Conditions;
  baselineMovedBy: number;
  isGood: boolean;
}

/**
 * Prints the conditions before and after a run, and whether its baseline was steady. An unsteady run is reported as not good
 * and sets the exit code: its figures must not be quoted.
 */
export function reportConditions(before: Conditions, baseline: readonly number[]): Verdict {
  isReported = true;
  const after = readConditions();
  const baselineMovedBy = movement(baseline);
  // one figure cannot show that it was steady
  const isGood = baseline.length > 1 && baselineMovedBy <= steadyWithin;
  const row = (name: string, { load, clockMs }: Conditions) => [name, load, clockMs];
  table(`Conditions: ${before.cores} cores (${before.model})`, [
    ['', 'load', 'fixed computation ms'],
    row('before', before),
    row('after', after),
  ]);
  const percent = `${Math.round(baselineMovedBy * 100)} %`;
  if (isGood) console.log(`  the baseline moved by ${percent}: a good run`);
  else {
    const reason = baseline.length > 1 ? `moved by ${percent}, more than 15 %` : 'was measured once';
    console.log(`  NOT A GOOD RUN: the baseline ${reason}. Repeat it on a quiet machine.`);
    process.exitCode = 1;
  }
  return { before, after, baselineMovedBy, isGood };
}

/** Performs a workload that may report a baseline of its own; otherwise the fixed computation is its baseline. */
export async function underConditions(run: () => Promise<void>): Promise<void> {
  const before = readConditions();
  await run();
  if (!isReported) reportConditions(before, [before.clockMs, readConditions().clockMs]);
}
