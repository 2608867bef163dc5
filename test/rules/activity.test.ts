// When a process is idle, and when it tells others of its work, with a clock that the test moves.
import { expect, test } from 'vitest';
import { announceEveryMs, idleAfterMs, openActivity } from '../../src/work/activity.ts';

function open(announce: () => Promise<void> = async () => {}) {
  const seen = { nowMs: 0, announced: 0, woken: 0 };
  const activity = openActivity({
    clock: { steady: () => seen.nowMs },
    announce: () => {
      seen.announced += 1;
      return announce();
    },
  });
  activity.onWake(() => {
    seen.woken += 1;
  });
  return { seen, activity };
}

test('a process is idle a minute after its start, its last work, or the last notification', () => {
  const { seen, activity } = open();
  for (const act of [() => {}, activity.note, activity.wake]) {
    act();
    seen.nowMs += idleAfterMs - 1;
    expect(activity.isIdle()).toBe(false);
    seen.nowMs += 1;
    expect(activity.isIdle()).toBe(true);
  }
  // the end of each idle time, and no other work
  expect(seen.woken).toBe(2);
  activity.note();
  activity.note();
  expect(seen.woken).toBe(3);
  expect(activity.isFresh()).toBe(true);
  seen.nowMs += 1_000;
  expect(activity.isFresh()).toBe(false);
});

test('work is announced at most every 30 s, and a notification never: two processes do not keep each other awake', () => {
  const { seen, activity } = open();
  activity.note();
  seen.nowMs += announceEveryMs - 1;
  activity.note();
  activity.wake();
  expect(seen.announced).toBe(1);
  seen.nowMs += 1;
  activity.note();
  expect(seen.announced).toBe(2);
});

test('a process that was told of work stays awake until it is told again', () => {
  expect(2 * announceEveryMs).toBeLessThanOrEqual(idleAfterMs);
});

test('work is announced again after a failed announcement', async () => {
  const { seen, activity } = open(() => Promise.reject(new Error('no connection')));
  activity.note();
  await new Promise((resolve) => setImmediate(resolve));
  activity.note();
  expect(seen.announced).toBe(2);
});
