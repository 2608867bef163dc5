// Batches: order, sharing, and errors of single items.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batch } from '../../src/work/batch.ts';
import { openInFlight } from '../../src/work/in-flight.ts';

const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });

/** A batch of texts that records its runs; `fail` may throw for a run. */
function openBatch(fail: (items: string[], run: number) => void = () => undefined, max = 100) {
  const runs: string[][] = [];
  let open = 0;
  let mostOpen = 0;
  let deadlocks = 0;
  const put = batch<string, string>(
    async (items) => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      runs.push(items);
      await Promise.resolve();
      open -= 1;
      fail(items, runs.length);
      return items.map((item) => item.toUpperCase());
    },
    { gapMs: 1, max, key: (item) => item, onDeadlock: () => (deadlocks += 1) },
  );
  return { put, runs, mostOpen: () => mostOpen, deadlocks: () => deadlocks };
}

describe('a batch', () => {
  it('runs at the end of the turn, sorted by key, and gathers items in the meantime', async () => {
    const { put, runs, mostOpen } = openBatch();
    const first = ['b', 'a'].map(put);
    await new Promise((resolve) => setImmediate(resolve));
    const answers = await Promise.all([...first, ...['e', 'd', 'c'].map(put)]);
    expect(answers).toEqual(['B', 'A', 'E', 'D', 'C']);
    expect(runs).toEqual([
      ['a', 'b'],
      ['c', 'd', 'e'],
    ]);
    expect(mostOpen()).toBe(1);
  });

  it.each([
    { turns: 1, runs: [['a'], ['b']] },
    { turns: 2, runs: [['a', 'b']] },
  ])('takes items of the next turn too if it begins after $turns', async ({ turns, runs: expected }) => {
    const runs: string[][] = [];
    const run = async (items: string[]) => {
      runs.push(items);
      return items;
    };
    const put = batch(run, { gapMs: 0, max: 100, turns });
    const first = put('a');
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, put('b')]);
    expect(runs).toEqual(expected);
  });

  it('runs at most max items together', async () => {
    const { put, runs } = openBatch(undefined, 3);
    const items = Array.from({ length: 20 }, (_, index) => String(index).padStart(2, '0'));
    expect(await Promise.all(items.map(put))).toEqual(items);
    expect(Math.max(...runs.map((run) => run.length))).toBe(3);
    expect(runs.flat().sort()).toEqual(items);
  });

  it('runs at most the weight that fits together, but a heavier item alone', async () => {
    const runs: number[][] = [];
    const run = async (items: number[]) => {
      runs.push(items);
      return items;
    };
    const put = batch(run, { gapMs: 0, max: 100, weight: { of: (item: number) => item, max: 10 } });
    await Promise.all([1, 4, 4, 3, 30, 2, 8].map(put));
    expect(runs).toEqual([[1, 4, 4], [3], [30], [2, 8]]);
  });

  it('repeats a run after a deadlock, and reports it', async () => {
    const { put, runs, deadlocks } = openBatch((_items, run) => {
      if (run <= 2) throw deadlock();
    });
    expect(await put('a')).toBe('A');
    expect(runs).toHaveLength(3);
    expect(deadlocks()).toBe(2);
  });

  it('repeats a run after a deadlock only when the other transaction has had time to end', async () => {
    let hasOtherEnded = false;
    setTimeout(() => {
      hasOtherEnded = true;
    }, 1);
    const { put, runs } = openBatch(() => {
      if (!hasOtherEnded) throw deadlock();
    });
    expect(await put('a')).toBe('A');
    expect(runs).toHaveLength(2);
  });

  it('repeats a run once after a lock time-out, as a clock step causes', async () => {
    const locked = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
    const once = openBatch((_items, run) => {
      if (run === 1) throw locked;
    });
    expect(await once.put('a')).toBe('A');
    const always = openBatch(() => {
      throw locked;
    });
    await expect(always.put('a')).rejects.toBe(locked);
    expect(always.runs).toHaveLength(2);
  });

  it('gives up on a permanent deadlock', async () => {
    const { put, runs } = openBatch(() => {
      throw deadlock();
    });
    await expect(put('a')).rejects.toMatchObject({ code: '40P01' });
    expect(runs.length).toBeLessThanOrEqual(10);
  });

  it('fails only the invalid item, and continues', async () => {
    const { put } = openBatch((items) => {
      if (items.includes('bad')) throw new Error('bad item');
    });
    const results = await Promise.allSettled(['x', 'bad', 'y', 'z'].map(put));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
      'X',
      'failed',
      'Y',
      'Z',
    ]);
    expect(await put('later')).toBe('LATER');
  });

  it('tries one item alone while the database is unavailable, and fails the others immediately', async () => {
    const unavailable = Object.assign(new Error('terminating connection'), { code: '57P01' });
    let isUnavailable = false;
    const { put, runs } = openBatch(() => {
      if (isUnavailable) throw unavailable;
    });
    await put('first');
    isUnavailable = true;
    const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(put));
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
    expect(runs.slice(1)).toEqual([['a', 'b', 'c', 'd', 'e'], ['a']]);
  });
});

/** Replaces timers and the monotonic clock, but not the turns of the event loop. */
function ownTimers(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
}

/** Two turns of the event loop: the start of a run, and its end. */
async function passed(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a batch whose gap grows with its runs', () => {
  ownTimers();

  it.each([
    { before: 2, gapMs: 2 },
    { before: 50, gapMs: 8 },
  ])('waits $gapMs ms after a run of $before items', async ({ before, gapMs }) => {
    const runs: number[] = [];
    const run = async (items: number[]) => {
      runs.push(items.length);
      return items;
    };
    const put = batch(run, { gapMs: 8, gapPerItemMs: 1, max: 100, key: String });
    await Promise.all(Array.from({ length: before }, (_, index) => put(index)));
    void put(1);
    await vi.advanceTimersByTimeAsync(gapMs - 0.5);
    await passed();
    expect(runs).toEqual([before]);
    await vi.advanceTimersByTimeAsync(0.5);
    await passed();
    expect(runs).toEqual([before, 1]);
  });
});

describe('a batch that knows the requests in progress', () => {
  ownTimers();

  function opened() {
    const runs: string[][] = [];
    const inFlight = { count: 0 };
    const run = async (items: string[]) => {
      runs.push([...items]);
      return items;
    };
    const put = batch(run, { gapMs: 10, max: 100, inFlight, key: (item: string) => item });
    return { runs, inFlight, put };
  }

  it('never delays a request that is alone, however soon after another', async () => {
    const { runs, inFlight, put } = opened();
    inFlight.count = 1;
    for (const item of ['a', 'b', 'c']) expect(await put(item)).toBe(item);
    expect(runs).toEqual([['a'], ['b'], ['c']]);
  });

  it('waits for the others until all of them wait', async () => {
    const { runs, inFlight, put } = opened();
    inFlight.count = 3;
    void put('first');
    await passed();
    void put('a');
    void put('b');
    await passed();
    expect(runs).toEqual([['first']]);
    void put('c');
    await passed();
    expect(runs).toEqual([['first'], ['a', 'b', 'c']]);
  });

  it.each([
    { requests: 6, gapMs: 3 },
    { requests: 64, gapMs: 10 },
  ])('waits at most $gapMs ms while $requests requests are in progress', async ({ requests, gapMs }) => {
    const { runs, inFlight, put } = opened();
    inFlight.count = requests;
    void put('first');
    await passed();
    void put('a');
    await vi.advanceTimersByTimeAsync(gapMs - 1);
    await passed();
    expect(runs).toEqual([['first']]);
    await vi.advanceTimersByTimeAsync(1);
    await passed();
    expect(runs).toEqual([['first'], ['a']]);
  });

  it('no longer counts a request that ended, whatever its result', async () => {
    const inFlight = openInFlight();
    const ends = Promise.withResolvers<string>();
    const one = inFlight.during(() => ends.promise);
    const other = inFlight.during(async () => {
      throw new Error('rejected');
    });
    expect(inFlight.count).toBe(2);
    await expect(other).rejects.toThrow('rejected');
    expect(inFlight.count).toBe(1);
    ends.resolve('done');
    expect(await one).toBe('done');
    expect(inFlight.count).toBe(0);
  });
});
