// Releases of leases: collected while the database fails, repeated until they succeed, and ended by a stop.
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { openLog } from '../../src/base/log.ts';
import { openReleases } from '../../src/work/releases.ts';

/** Opens releases whose delays are ended by the test. */
function open(perform: (ids: string[]) => Promise<void>) {
  const delays: { ms: number; end: () => void }[] = [];
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((end) => {
      delays.push({ ms, end });
      if (signal?.aborted) end();
      signal?.addEventListener('abort', () => end(), { once: true });
    });
  const releases = openReleases({ clock: { ...systemClock, sleep }, log: openLog('silent') }, perform);
  return { releases, delays };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('failed releases are repeated every 250 ms together with new ones, and successful ones are not', async () => {
  const performed: string[][] = [];
  let isUnavailable = true;
  const { releases, delays } = open(async (ids) => {
    performed.push(ids);
    if (isUnavailable) throw new Error('unavailable');
  });
  releases.release('a');
  await turn();
  releases.release('b');
  expect(delays.map(({ ms }) => ms)).toEqual([250]);
  isUnavailable = false;
  delays[0]?.end();
  await turn();
  releases.release('c');
  await turn();
  expect(performed).toEqual([['a'], ['a', 'b'], ['c']]);
  await releases.stop();
});

test('stop ends the repetition', async () => {
  let attempts = 0;
  const { releases } = open(async () => {
    attempts += 1;
    if (attempts < 5) throw new Error('unavailable');
  });
  releases.release('a');
  await turn();
  await releases.stop();
  releases.release('b');
  await turn();
  expect(attempts).toBe(1);
});
