// The cache: its maximum size, its lifetime, and its clock.
import { expect, test } from 'vitest';
import { openCache } from '../../src/base/cache.ts';

function ownClock() {
  const clock = { nowMs: 0, steady: () => clock.nowMs };
  return clock;
}

test('evicts the least recently used entry when it is full, and keeps the others', () => {
  const cache = openCache<number>({ max: 3 });
  for (const [value, key] of ['a', 'b', 'c'].entries()) cache.set(key, value);
  cache.get('a');
  cache.set('d', 3);
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([0, undefined, 2, 3]);
});

test('an entry expires after its lifetime by the given clock, even if it is read often', () => {
  const clock = ownClock();
  const cache = openCache<string>({ max: 10, lifetime: { ms: 1_000, clock } });
  cache.set('a', 'x');
  for (clock.nowMs = 0; clock.nowMs <= 1_000; clock.nowMs += 250) expect(cache.get('a')).toBe('x');
  clock.nowMs = 1_001;
  expect(cache.get('a')).toBeUndefined();
});

test('a lifetime can start in the past, and an entry can have its own', () => {
  const clock = ownClock();
  const cache = openCache<string>({ max: 10, lifetime: { ms: 1_000, clock } });
  clock.nowMs = 800;
  cache.set('begun at 0', 'x', { sinceMs: 0 });
  cache.set('own lifetime', 'y', { lifetimeMs: 5_000 });
  cache.set('over already', 'z', { lifetimeMs: 0 });
  clock.nowMs = 1_001;
  expect(cache.get('begun at 0')).toBeUndefined();
  expect(cache.get('own lifetime')).toBe('y');
  expect(cache.get('over already')).toBeUndefined();
  clock.nowMs = 5_800;
  expect(cache.get('own lifetime')).toBe('y');
  clock.nowMs = 5_801;
  expect(cache.get('own lifetime')).toBeUndefined();
});

test('an entry set with an expired lifetime is removed', () => {
  const cache = openCache<string>({ max: 10, lifetime: { ms: 1_000, clock: ownClock() } });
  cache.set('a', 'x');
  cache.set('a', 'y', { lifetimeMs: 0 });
  expect(cache.get('a')).toBeUndefined();
});

test('a new value starts a new lifetime', () => {
  const clock = ownClock();
  const cache = openCache<string>({ max: 10, lifetime: { ms: 1_000, clock } });
  cache.set('a', 'x');
  clock.nowMs = 900;
  cache.set('a', 'y');
  clock.nowMs = 1_800;
  expect(cache.get('a')).toBe('y');
});

test('deletes one entry or all', () => {
  const cache = openCache<number>({ max: 10 });
  for (const key of ['a', 'b']) cache.set(key, 1);
  cache.delete('a');
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 1]);
  cache.clear();
  expect(cache.get('b')).toBeUndefined();
});
