// The worker loop: rounds, pauses, nudges, failures and stop, with a clock that the test controls.
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { openLog } from '../../src/base/log.ts';
import type { Activity } from '../../src/work/activity.ts';
import { startWorker, type Work } from '../../src/work/worker.ts';

/** Starts a worker whose rounds and pauses are ended by the test. */
function open(activity?: Activity, more: Partial<Work> = {}) {
  const rounds: { find: (count: number) => void; fail: (error: Error) => void; signal: AbortSignal }[] = [];
  const pauses: { ms: number; end: () => void }[] = [];
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((end) => {
      pauses.push({ ms, end });
      signal?.addEventListener('abort', () => end(), { once: true });
    });
  const perform = (signal: AbortSignal) =>
    new Promise<number>((find, fail) => rounds.push({ find, fail, signal }));
  const worker = startWorker(
    { name: 'test', perform, idleMs: 700, ...more },
    { clock: { ...systemClock, sleep }, log: openLog('silent'), ...(activity ? { activity } : {}) },
  );
  return { worker, rounds, pauses };
}
/** Runs all pending microtasks. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('starts the next round immediately while there is work, and pauses when there is none', async () => {
  const { worker, rounds, pauses } = open();
  rounds[0]?.find(3);
  await turn();
  expect([rounds.length, pauses]).toEqual([2, []]);
  rounds[1]?.find(0);
  await turn();
  expect([rounds.length, pauses.map(({ ms }) => ms)]).toEqual([2, [700]]);
  pauses[0]?.end();
  await turn();
  expect(rounds).toHaveLength(3);
  rounds[2]?.find(0);
  await worker.stop();
});

test('a nudge ends a pause', async () => {
  const { worker, rounds } = open();
  rounds[0]?.find(0);
  await turn();
  worker.nudge();
  await turn();
  expect(rounds).toHaveLength(2);
  rounds[1]?.find(0);
  await worker.stop();
});

test('a nudge during a round skips the next pause, since the claim may have missed new work', async () => {
  const { worker, rounds, pauses } = open();
  worker.nudge();
  rounds[0]?.find(0);
  await turn();
  expect([rounds.length, pauses]).toEqual([2, []]);
  rounds[1]?.find(0);
  await turn();
  expect(pauses).toHaveLength(1);
  await worker.stop();
});

test('the next round starts two seconds after a failed one', async () => {
  const { worker, rounds, pauses } = open();
  rounds[0]?.fail(new Error('away'));
  await turn();
  expect([rounds.length, pauses.map(({ ms }) => ms)]).toEqual([1, [2_000]]);
  pauses[0]?.end();
  await turn();
  expect(rounds).toHaveLength(2);
  rounds[1]?.find(0);
  await worker.stop();
});

test('stop ends a pause, starts no round, and waits for the running one', async () => {
  const { worker, rounds } = open();
  const paused = open();
  paused.rounds[0]?.find(0);
  await turn();
  await paused.worker.stop();
  expect(paused.rounds).toHaveLength(1);
  let hasStopped = false;
  const stopped = worker.stop().then(() => {
    hasStopped = true;
  });
  await turn();
  expect([rounds[0]?.signal.aborted, hasStopped]).toEqual([true, false]);
  rounds[0]?.find(1);
  await stopped;
  expect(rounds).toHaveLength(1);
});

/** The activity of an idle process, and how often work was noted. */
function idle() {
  const noted = { count: 0 };
  const note = () => {
    noted.count += 1;
  };
  return {
    noted,
    activity: { note, wake: () => {}, isIdle: () => true, isFresh: () => false, onWake: () => {} },
  };
}

test('in an idle process, waits to be nudged instead of asking again', async () => {
  const { worker, rounds, pauses } = open(idle().activity);
  rounds[0]?.find(0);
  await turn();
  expect(pauses.map(({ ms }) => ms)).toEqual([600_000]);
  worker.nudge();
  await turn();
  expect(rounds).toHaveLength(2);
  rounds[1]?.find(0);
  await worker.stop();
});

test('in an idle process, the idle watch asks at its usual interval', async () => {
  const { worker, rounds, pauses } = open(idle().activity, { runsIdle: true });
  rounds[0]?.find(0);
  await turn();
  expect(pauses.map(({ ms }) => ms)).toEqual([700]);
  await worker.stop();
});

test.each([
  ['keeps the process awake', {}, 1],
  ['of a background loop does not', { isBackground: true }, 0],
])('found work %s', async (_name, more, count) => {
  const { noted, activity } = idle();
  const { worker, rounds } = open(activity, more);
  rounds[0]?.find(2);
  await turn();
  expect(noted.count).toBe(count);
  rounds[1]?.find(0);
  await worker.stop();
});

test('just after an idle time, asks again soon', async () => {
  const fresh = { ...idle().activity, isIdle: () => false, isFresh: () => true };
  const { worker, rounds, pauses } = open(fresh, { freshMs: 30 });
  rounds[0]?.find(0);
  await turn();
  expect(pauses.map(({ ms }) => ms)).toEqual([30]);
  await worker.stop();
});
