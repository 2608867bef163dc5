// Per-key queues: order within a key, independence of keys, lapsed leases, counts.
import { expect, test } from 'vitest';
import { KeyedQueue } from '../../src/work/keyed-queue.ts';

const open = (priorities = 1) =>
  new KeyedQueue<string, { key: string }>({ priorities, newState: (key) => ({ key }) });

const takeAll = (subqueue: ReturnType<ReturnType<typeof open>['open']>, nowMs = 0) => {
  const taken: string[] = [];
  for (let next = subqueue.take(nowMs); next; next = subqueue.take(nowMs)) taken.push(next.item);
  return taken;
};

test('take returns the most urgent items first, and items of one priority in order of arrival', () => {
  const subqueue = open(3).open('a');
  for (const [item, priority] of [
    ['low', 2],
    ['high 1', 0],
    ['middle', 1],
    ['high 2', 0],
    ['beyond the last', 9],
  ] as const)
    subqueue.push(item, 1, priority);
  expect(subqueue.queued(0)).toBe(2);
  expect(subqueue.queued(1)).toBe(3);
  expect(takeAll(subqueue)).toEqual(['high 1', 'high 2', 'middle', 'low', 'beyond the last']);
});

test('take does not affect other keys, and each key has its own state', () => {
  const queue = open();
  queue.open('a').push('a1', 1);
  queue.open('b').push('b1', 1);
  expect(queue.queued).toBe(2);
  expect(takeAll(queue.open('a'))).toEqual(['a1']);
  expect(queue.find('b')?.items()).toEqual(['b1']);
  expect(queue.queued).toBe(1);
  expect([...queue.all()].map(({ state }) => state.key)).toEqual(['a', 'b']);
});

test('take never returns an item past its deadline, and reports it as lapsed', () => {
  const queue = open();
  const subqueue = queue.open('a');
  subqueue.push('late', 10);
  subqueue.push('in time', 11);
  const lapsed: string[] = [];
  expect(subqueue.take(11, lapsed)).toEqual({ item: 'in time', startBeforeMs: 11 });
  expect(lapsed).toEqual(['late']);
  expect(queue.queued).toBe(0);
});

test('drains a key in order of urgency, and counts that it did', () => {
  const queue = open(2);
  const subqueue = queue.open('a');
  subqueue.push('low', 1, 1);
  subqueue.push('high', 1, 0);
  expect(subqueue.drain()).toEqual(['high', 'low']);
  expect(subqueue.drains).toBe(1);
  expect(queue.queued).toBe(0);
  expect(subqueue.take(0)).toBeUndefined();
});

test('extract removes matching items and keeps the order of the others', () => {
  const queue = open();
  const subqueue = queue.open('a');
  for (const item of ['1', '2', '3', '4']) subqueue.push(item, 1);
  expect(subqueue.extract((item) => item === '2' || item === '3')).toEqual(['2', '3']);
  expect(queue.queued).toBe(2);
  expect(takeAll(subqueue)).toEqual(['1', '4']);
});

test('remove keeps a key with queued or running work, and drops it afterwards', async () => {
  const queue = open();
  const subqueue = queue.open('a');
  subqueue.push('1', 1);
  expect(queue.remove(subqueue)).toBe(false);
  subqueue.take(0);
  subqueue.running += 1;
  expect(queue.remove(subqueue)).toBe(false);
  let isEmpty = false;
  const empty = queue.whenEmpty().then(() => {
    isEmpty = true;
  });
  await Promise.resolve();
  expect(isEmpty).toBe(false);
  subqueue.running -= 1;
  expect(queue.remove(subqueue)).toBe(true);
  await empty;
  expect(queue.find('a')).toBeUndefined();
  expect(queue.open('a')).not.toBe(subqueue);
  expect(queue.remove(subqueue)).toBe(false);
  await expect(open().whenEmpty()).resolves.toBeUndefined();
});
