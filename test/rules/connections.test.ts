// The free connections of a number: limited, few at first, granted in the order of requests.
import { expect, it } from 'vitest';
import { openConnections } from '../../src/messaging/dispatch/connections.ts';

it('grants few connections at first, and more as they are used', () => {
  const connections = openConnections(128);
  expect(connections.tryAcquire(64)).toBe(32);
  expect(connections.tryAcquire(1)).toBe(0);
  connections.release(1, true);
  expect(connections.tryAcquire(64)).toBe(33);
  for (let used = 0; used < 8; used++) {
    connections.release(1, true);
    connections.tryAcquire(128);
  }
  // all 128 are in use
  expect(connections.tryAcquire(1)).toBe(0);
  connections.release(3, true);
  expect(connections.tryAcquire(64)).toBe(3);
});

it('grants no more connections while the granted ones are not used', () => {
  const connections = openConnections(128);
  for (let round = 0; round < 5; round++) {
    expect(connections.tryAcquire(64)).toBe(32);
    connections.release(32, false);
  }
});

it('grants released connections to the longest waiting request first', async () => {
  const connections = openConnections(4);
  expect(connections.tryAcquire(4)).toBe(4);
  const order: string[] = [];
  const first = connections.acquire(2).then((count) => order.push(`first ${count}`));
  const second = connections.acquire(2).then((count) => order.push(`second ${count}`));
  expect(connections.tryAcquire(1)).toBe(0);
  connections.release(3, true);
  await Promise.all([first, second]);
  expect(order).toEqual(['first 2', 'second 1']);
  expect(connections.tryAcquire(4)).toBe(0);
});
