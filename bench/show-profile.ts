// The CPU profile of the gateway's main thread: the flags that write it, and tables for a time range.
import { join } from 'node:path';
import { format, outFolder, table } from './print.ts';
import { readProfile } from './profile.ts';

/**
 * Node flags that write the gateway's profile when it ends, under the workload's name. Every thread writes that file;
 * the main thread ends last, so its profile remains.
 */
export const profileFlags = (workload: string): string[] => [
  '--cpu-prof',
  `--cpu-prof-dir=${outFolder}`,
  `--cpu-prof-name=${workload}.cpuprofile`,
];

/** Prints where the main thread spent its time between two instants of the machine's clock (milliseconds). */
export function showProfile(workload: string, { fromMs, toMs }: { fromMs: number; toMs: number }): void {
  const report = readProfile(join(outFolder, `${workload}.cpuprofile`), fromMs, toMs);
  const share = (ms: number) => `${((100 * ms) / report.busyMs).toFixed(1)} %`;
  for (const [title, shares] of [
    ["Gateway's main thread: time by kind of code", report.kinds],
    ["Main thread: the same, with Node's own time attributed to its caller", report.owners],
    ['Main thread: single functions', report.functions],
    ['Main thread: our functions, including calls', report.ours],
  ] as const)
    table(`${title} (of ${format(report.busyMs)} ms busy)`, [
      ['', 'itself', 'with calls'],
      ...shares.map(({ name, selfMs, totalMs }) => [name, share(selfMs), share(totalMs)]),
    ]);
}
