// The tables of the dashboard's workload.
import type { ListFigures } from './dashboard-lists.ts';
import type { LiveFigures } from './dashboard-live.ts';
import type { OpeningFigures } from './dashboard-opening.ts';
import { table } from './print.ts';

const kilobyte = 1_000;

export function showOpenings({ openings, bareMs }: OpeningFigures): void {
  table('Over the slow line', [
    [
      '',
      'requests',
      'until useful, KB gzip',
      'in all',
      'KB as served',
      'fonts, KB',
      'API, KB',
      'useful after ms',
      'files cached, ms',
    ],
    ...openings.map((one) => [
      ...[
        one.page,
        one.requests,
        one.firstBytes / kilobyte,
        one.gzipBytes / kilobyte,
        one.brotliBytes / kilobyte,
      ],
      ...[one.fontBytes / kilobyte, one.apiBytes / kilobyte, one.coldMs, one.cachedMs],
    ]),
    [
      'a bare page with the bytes of the first',
      2,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      Math.min(...bareMs),
    ],
  ]);
}

export function showLive(figures: readonly LiveFigures[], perSecond: number): void {
  table(`Open during ${perSecond} messages a second`, [
    [
      '',
      'heap MB',
      'at the end',
      'KB per minute',
      'nodes',
      'at the end',
      'per minute',
      'listeners per minute',
      'rows',
      'requests/s',
    ],
    ...figures.map(({ page, samples, perMinute, requestsPerSecond }) => {
      const [first, last] = [samples[Math.floor(samples.length / 3)], samples.at(-1)];
      return [
        ...[page, (first?.heapBytes ?? Number.NaN) / 1e6, (last?.heapBytes ?? Number.NaN) / 1e6],
        ...[perMinute.heapBytes / kilobyte, first?.nodes, last?.nodes, perMinute.nodes],
        ...[perMinute.listeners, last?.rows, requestsPerSecond],
      ];
    }),
  ]);
}

export function showLists(
  few: Record<string, ListFigures>,
  many: Record<string, ListFigures>,
  counts: string[],
): void {
  table(`From a click to the rows, with ${counts.join(' messages and with ')} (ms)`, [
    ['', 'p50', 'longest', 'p50', 'longest', 'times', 'rows'],
    ...Object.entries(many).map(([name, { ms, rows }]) => {
      const before = few[name]?.ms;
      return [name, before?.p50, before?.max, ms.p50, ms.max, ms.p50 / (before?.p50 ?? Number.NaN), rows];
    }),
  ]);
}
