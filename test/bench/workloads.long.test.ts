// Every workload runs in a short form, prints its rows and the conditions, and loses nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { root } from '../harness/program.ts';

/** Options of the short form, and a row that must be there. */
const shortForms: Record<string, [options: string, row: RegExp][]> = {
  lifecycle: [['--messages 200 --warm-up 100 --rounds 2', /ratio to the ceiling/]],
  endpoints: [['--messages 100 --rounds 2', /^ {2}10 /m]],
  scale: [['--processes 2 --messages 200 --rounds 2', /^ {2}2 /m]],
  send: [['--sends 12 --warm-up 2 --seconds 1', /100\/s, over the platform/]],
  callbacks: [['--messages 5 --rounds 2', /three at once/]],
  webhooks: [['--messages 100 --warm-up 100', /from committed rows to 2xx/]],
  inbound: [['--callbacks 100', /inbound messages of new people/]],
  isolation: [['--seconds 2 --rounds 1 --backlog 1000 --claims 3', /ratio of the medians/]],
  slots: [
    ['--seconds 1', /at a constant rate/],
    ['--spread --seconds 1 --staff 4 --days 2 --rounds 2', /without calendars/],
  ],
  bookings: [
    ['--bookings 40 --rivals 20 --staff 2', /bookings confirmed/],
    ['--spread --bookings 40 --rounds 2', /bookings to the bare route/],
  ],
  fairness: [['--campaign 1000 --idle 5', /during the campaign/]],
  campaign: [['--recipients 20000', /rows per second|rows\/s/]],
  pace: [['--waiting 300 --after 60', /after a cancellation/]],
  upload: [['--files 2 --megabytes 5', /plain AES/]],
  growth: [
    ['--messages 20000', /claim/],
    ['--months 3 --messages 2000 --rounds 5', /whole partitions/],
  ],
  statistics: [['--times 2 --messages 100000', /interval=hour&by=template/]],
  idle: [['--after 1 --seconds 5', /transactions\/s/]],
  backup: [['--messages 200 --rounds 2 --beneath 2000', /beside a backup/]],
  dashboard: [
    [
      '--rounds 1 --messages 5000 --minutes 0.3 --per-second 20',
      /sign-in form[\s\S]*deliveries: next page[\s\S]*requests\/s/,
    ],
  ],
};

const runs = readdirSync(join(root, 'bench/workloads')).flatMap((file) => {
  const name = file.replace(/\.ts$/, '');
  return (shortForms[name] ?? [['', /./]]).map(([options, row]) => ({ command: `${name} ${options}`, row }));
});

test.each(runs)(
  'npm run bench -- $command',
  async ({ command, row }) => {
    const child = spawn(process.execPath, ['bench/run.ts', ...command.trim().split(' ')], { cwd: root });
    const [printed, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    // a busy machine may make it a run that is not good, which is an exit code of its own
    expect(errors.replaceAll(/^… .*\n/gm, '')).toBe('');
    expect(printed).toMatch(row);
    expect(printed).toMatch(/^Conditions: \d+ cores/m);
    expect(printed).toMatch(/saved in bench\/out\//);
  },
  180_000,
);
