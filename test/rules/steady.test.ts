// Durations inside a process: what the machine's clock is set to changes none, and sleep counts.
import { describe, expect, it } from 'vitest';
import { openSteady } from '../../src/base/steady.ts';

/** A machine whose clocks the test moves, and the steady time on it. */
function machine() {
  let [wallMs, monotonicMs] = [Date.parse('2026-03-10T12:00:00Z'), 5_000];
  const steady = openSteady(
    () => wallMs,
    () => monotonicMs,
  );
  return {
    steady,
    pass(ms: number) {
      wallMs += ms;
      monotonicMs += ms;
    },
    set(ms: number) {
      wallMs += ms;
    },
  };
}

describe('a duration', () => {
  it('is what passed by the monotonic clock', () => {
    const { steady, pass } = machine();
    const from = steady();
    pass(1_234);
    expect(steady() - from).toBe(1_234);
  });

  it('is no longer and no shorter because the wall clock was set back', () => {
    const { steady, pass, set } = machine();
    const from = steady();
    pass(1_000);
    set(-20 * 60_000);
    expect(steady() - from).toBe(1_000);
    pass(1_000);
    expect(steady() - from).toBe(2_000);
  });

  it('counts the time that the machine slept, also after its clock was set back', () => {
    const { steady, pass, set } = machine();
    const from = steady();
    set(-20 * 60_000);
    steady();
    // the monotonic clock stands still in sleep
    set(15 * 60_000);
    expect(steady() - from).toBe(15 * 60_000);
    pass(10);
    expect(steady() - from).toBe(15 * 60_000 + 10);
  });

  it('leaves out what the wall clock is adjusted by in small steps', () => {
    const { steady, pass, set } = machine();
    const from = steady();
    for (let times = 0; times < 100; times += 1) {
      pass(1_000);
      set(500);
      steady();
    }
    expect(steady() - from).toBe(100_000);
  });
});
