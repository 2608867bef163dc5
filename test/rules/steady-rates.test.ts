// The in-memory windows of rate limits.
import { describe, expect, it } from 'vitest';
import { steadyRates } from '../../src/http/steady-rates.ts';

/** A store on a clock that the test moves. `hit` returns the count and the remaining milliseconds of the window. */
function store(cache?: number) {
  const clock = { nowMs: 0, steady: () => clock.nowMs };
  const Rates = steadyRates(clock);
  const rates = new Rates({}).child({ ...(cache === undefined ? {} : { cache }) } as never);
  const hit = (key: string) => {
    let result: { current: number; ttl: number } | undefined;
    rates.incr(key, (_error, found) => (result = found), 60_000, 1);
    return [result?.current, result?.ttl];
  };
  return { hit, clock };
}

describe('the window of a key', () => {
  it('counts its requests and returns its remaining time', () => {
    const { hit, clock } = store();
    expect(hit('a')).toEqual([1, 60_000]);
    clock.nowMs += 20_000;
    expect(hit('a')).toEqual([2, 40_000]);
    expect(hit('b')).toEqual([1, 60_000]);
  });

  it('ends after a minute, however many requests there were', () => {
    const { hit, clock } = store();
    for (let times = 0; times < 100; times += 1) hit('a');
    clock.nowMs += 59_999;
    expect(hit('a')).toEqual([101, 1]);
    clock.nowMs += 1;
    expect(hit('a')).toEqual([1, 60_000]);
  });

  it('is removed when least recently used and there are too many', () => {
    const { hit } = store(2);
    hit('a');
    hit('b');
    hit('a');
    hit('c');
    expect(hit('a')[0]).toBe(3);
    expect(hit('b')[0]).toBe(1);
  });
});
