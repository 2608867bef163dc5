// The recovery of sends: counted from the last moment at which the database itself rejected a write.
import { expect, test } from 'vitest';
import { recoveryMs } from './recovery.ts';

const whileAway = { backMs: 20_000, failedWritesMs: [5_000, 19_000] };

test('a send that fails after the database accepts writes counts from then, one before it does not count', () => {
  expect(recoveryMs([6_000, 19_500], whileAway)).toBe(0);
  expect(recoveryMs([6_000, 27_000], whileAway)).toBe(7_000);
});

test('a database that rejects writes again explains sends that fail then, but none that fail long after or before', () => {
  const flapping = { ...whileAway, failedWritesMs: [19_000, 40_000] };
  expect(recoveryMs([41_000], flapping)).toBe(1_000);
  expect(recoveryMs([39_000], flapping)).toBe(19_000);
  expect(recoveryMs([55_000], flapping)).toBe(15_000);
});

test('sends that all work have recovered at once', () => {
  expect(recoveryMs([], whileAway)).toBe(0);
});
