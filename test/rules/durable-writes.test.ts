// Writes that only this process can make: retried while the database is unavailable, and reverts repeated after late commits.
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { openLog } from '../../src/base/log.ts';
import { openDurableWrites } from '../../src/messaging/dispatch/durable-writes.ts';

const unavailable = Object.assign(new Error('terminating connection'), { code: '57P01' });
const log = openLog('silent');

/** A clock that records its pauses and ends them on command. */
function open() {
  const stopping = new AbortController();
  const pauses: { ms: number; end: () => void }[] = [];
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((end) => {
      pauses.push({ ms, end });
      signal?.addEventListener('abort', () => end(), { once: true });
    });
  const writes = openDurableWrites({ clock: { ...systemClock, sleep }, log }, stopping.signal);
  return { writes, pauses, stopping };
}

test('a revert is written again after 35 seconds, when every earlier statement has ended', async () => {
  const { writes, pauses } = open();
  let written = 0;
  const done = writes.twice(async () => {
    written += 1;
  });
  await expect.poll(() => pauses.map(({ ms }) => ms)).toEqual([35_000]);
  expect(written).toBe(1);
  pauses[0]?.end();
  await done;
  expect(written).toBe(2);
});

test('a process that stops writes a revert again without waiting', async () => {
  const { writes, pauses, stopping } = open();
  let written = 0;
  const done = writes.twice(async () => {
    written += 1;
  });
  await expect.poll(() => pauses).toHaveLength(1);
  stopping.abort();
  await done;
  expect(written).toBe(2);
  await writes.idle();
});

test('a write is retried while the database is unavailable, with increasing pauses', async () => {
  const { writes, pauses } = open();
  let failures = 2;
  const done = writes(async () => {
    if (failures-- > 0) throw unavailable;
    return 'written';
  });
  await expect.poll(() => pauses).toHaveLength(1);
  pauses[0]?.end();
  await expect.poll(() => pauses).toHaveLength(2);
  pauses[1]?.end();
  expect(await done).toBe('written');
  expect(pauses.map(({ ms }) => ms)).toEqual([250, 500]);
});

test('a write that the database rejects is not retried', async () => {
  const { writes, pauses } = open();
  const violation = Object.assign(new Error('violates'), { code: '23505' });
  await expect(writes(() => Promise.reject(violation))).rejects.toBe(violation);
  expect(pauses).toEqual([]);
});
