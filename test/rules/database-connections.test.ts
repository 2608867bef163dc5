// How a process shares its connections, and whether connections share sessions.
import { expect, test } from 'vitest';
import { shareConnections } from '../../src/db/connections.ts';
import { areShared } from '../../src/db/pooler.ts';

test('the shares of all parts add up to the connections of a process, and none is empty', () => {
  for (let total = 10; total <= 200; total++) {
    const shares = Object.values(shareConnections(total));
    expect(
      shares.reduce((sum, share) => sum + share, 0),
      String(total),
    ).toBe(total);
    expect(Math.min(...shares), String(total)).toBeGreaterThan(0);
  }
});

test('two connections that keep their own sessions share none', () => {
  expect(
    areShared([
      [11, 11],
      [12, 12],
    ]),
  ).toBe(false);
});

test.each([
  ['one session for both', [11, 11], [11, 11]],
  ['a session for both in turn', [11, 12], [12, 11]],
  ['another session for a later statement', [11, 11], [12, 13]],
])('%s is shared', (_name, one, other) => {
  expect(areShared([one, other])).toBe(true);
});
