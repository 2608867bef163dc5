// Runs of a batch that are in progress: one at a time, or several.
import { describe, expect, it } from 'vitest';
import { batch } from '../../src/work/batch.ts';

/** A batch whose runs end when the test says so. */
function openHeld(options: { max: number; atOnce?: number; callers?: { count: number } }) {
  const runs: { items: string; end: () => void }[] = [];
  const run = (items: string[]) =>
    new Promise<string[]>((resolve) => runs.push({ items: items.join(''), end: () => resolve(items) }));
  const put = batch<string, string>(run, { gapMs: 0, ...options });
  const results: Promise<string>[] = [];
  return {
    results,
    /** Adds items; returns the items of every run that has begun. */
    async add(items: string) {
      results.push(...[...items].map(put));
      return this.begun();
    },
    /** Ends a run; returns the same. */
    async end(index: number) {
      runs[index]?.end();
      return this.begun();
    },
    async begun() {
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      return this.now();
    },
    now: () => runs.map(({ items }) => items),
  };
}

describe('runs of a batch', () => {
  it('never overlap, however many items wait', async () => {
    const held = openHeld({ max: 2 });
    expect(await held.add('abcde')).toEqual(['ab']);
    expect(await held.end(0)).toEqual(['ab', 'cd']);
    expect(await held.end(1)).toEqual(['ab', 'cd', 'e']);
    await held.end(2);
    expect((await Promise.all(held.results)).join('')).toBe('abcde');
  });

  it('begin at once when they have an item of every caller, before what else has arrived is handled', async () => {
    const callers = { count: 2 };
    const held = openHeld({ max: 100, callers });
    const handled: string[] = [];
    setImmediate(() => handled.push('another request'));
    void held.add('a');
    expect(held.now()).toEqual([]);
    void held.add('b');
    expect([held.now(), handled]).toEqual([['ab'], []]);
    // those of a run in progress are counted until it ends
    callers.count = 3;
    expect(await held.add('c')).toEqual(['ab']);
    expect(await held.end(0)).toEqual(['ab', 'c']);
    await held.end(1);
    expect((await Promise.all(held.results)).join('')).toBe('abc');
  });

  it('may be two at once: another one begins when as many items wait as the last one took', async () => {
    const held = openHeld({ max: 100, atOnce: 2 });
    expect(await held.add('ab')).toEqual(['ab']);
    expect(await held.add('c')).toEqual(['ab']);
    expect(await held.add('d')).toEqual(['ab', 'cd']);
    expect(await held.add('efg')).toEqual(['ab', 'cd']);
    expect(await held.end(1)).toEqual(['ab', 'cd', 'efg']);
    expect(await held.add('h')).toEqual(['ab', 'cd', 'efg']);
    expect(await held.end(2)).toEqual(['ab', 'cd', 'efg']);
    expect(await held.end(0)).toEqual(['ab', 'cd', 'efg', 'h']);
    await held.end(3);
    expect((await Promise.all(held.results)).join('')).toBe('abcdefgh');
  });
});
