// Coalesced calls: callers that wait share one call, which begins after they asked.
import { expect, test } from 'vitest';
import { coalesced } from '../../src/work/coalesce.ts';

/** Calls that the test ends one by one; each returns its number. */
function openCalls() {
  const ask = coalesced<number>();
  const running: PromiseWithResolvers<void>[] = [];
  const answer = async () => {
    const own = Promise.withResolvers<void>();
    running.push(own);
    const number = running.length;
    await own.promise;
    return number;
  };
  return { ask: (key: string) => ask(key, answer), running };
}

const begun = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('callers during a call wait for the next one and share it', async () => {
  const { ask, running } = openCalls();
  const first = [ask('a'), ask('a')];
  await begun();
  expect(running).toHaveLength(1);
  const second = [ask('a'), ask('a'), ask('a')];
  await begun();
  expect(running).toHaveLength(1);
  running[0]?.resolve();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await begun();
  expect(running).toHaveLength(2);
  const third = ask('a');
  running[1]?.resolve();
  expect(await Promise.all(second)).toEqual([2, 2, 2]);
  await begun();
  running[2]?.resolve();
  expect(await third).toBe(3);
});

test('other keys do not wait', async () => {
  const { ask, running } = openCalls();
  const one = ask('a');
  const other = ask('b');
  await begun();
  expect(running).toHaveLength(2);
  running[1]?.resolve();
  expect(await other).toBe(2);
  running[0]?.resolve();
  expect(await one).toBe(1);
});

test('a failing call rejects all of its callers and no others', async () => {
  const ask = coalesced<string>();
  const fails = () => Promise.reject(new Error('no'));
  const failed = await Promise.allSettled([ask('a', fails), ask('a', fails)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await ask('a', async () => 'yes')).toBe('yes');
  const throwing = (): Promise<string> => {
    throw new Error('at once');
  };
  await expect(ask('a', throwing)).rejects.toThrow('at once');
  expect(await ask('a', async () => 'again')).toBe('again');
});
