// Lost connections as outages: neighbouring losses are one outage, others are not covered by it.
import { expect, test } from 'vitest';
import { outagesOf } from './connection-losses.ts';

test('losses that follow each other closely are one outage from the first to the last', () => {
  expect(outagesOf([])).toEqual([]);
  expect(outagesOf([1_000, 1_400, 2_300])).toEqual([{ kind: 'database', fromMs: 1_000, toMs: 2_300 }]);
});

test('the time between two losses that are apart belongs to no outage', () => {
  expect(outagesOf([1_000, 9_000, 9_001])).toEqual([
    { kind: 'database', fromMs: 1_000, toMs: 1_000 },
    { kind: 'database', fromMs: 9_000, toMs: 9_001 },
  ]);
});
