// A CPU profile of the gateway's main thread: the flags that write it, and what it says of one stretch of time.
import { join } from 'node:path';
import { outFolder, shown, table } from './print.ts';
import { readProfile } from './profile.ts';

/**
 * Flags of Node that write the gateway's profile when it ends, under the workload's name. Every thread writes to that
 * file; the main one ends last, so that what stays is its own.
 */
export const profileFlags = (workload: string): string[] => [
  '--cpu-prof',
  `--cpu-prof-dir=${outFolder}`,
  `--cpu-prof-name=${workload}.cpuprofile`,
];

/** Shows where the main thread's time went between two instants of the machine's clock (milliseconds), once it has ended. */
export function showProfile(workload: string, { fromMs, toMs }: { fromMs: number; toMs: number }): void {
  const report = readProfile(join(outFolder, `${workload}.cpuprofile`), fromMs, toMs);
  const share = (ms: number) => `${((100 * ms) / report.busyMs).toFixed(1)} %`;
  for (const [title, shares] of [
    ["Gateway's main thread: time by kind of code", report.kinds],
    ["Main thread: the same, with Node's own time given to who called it", report.owners],
    ['Main thread: single functions', report.functions],
    ['Main thread: our functions, with all they call', report.ours],
  ] as const)
    table(`${title} (of ${shown(report.busyMs)} ms busy)`, [
      ['', 'itself', 'with calls'],
      ...shares.map(({ name, selfMs, totalMs }) => [name, share(selfMs), share(totalMs)]),
    ]);
}
