// Steady time: setting the wall clock does not change durations, and the machine's sleep counts.
import { describe, expect, it } from 'vitest';
import { openSteady } from '../../src/base/steady.ts';

/** Steady time on a machine whose clocks the test moves. */
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
  it('is the elapsed time of the monotonic clock', () => {
    const { steady, pass } = machine();
    const from = steady();
    pass(1_234);
    expect(steady() - from).toBe(1_234);
  });

  it('does not change when the wall clock is set back', () => {
    const { steady, pass, set } = machine();
    const from = steady();
    pass(1_000);
    set(-20 * 60_000);
    expect(steady() - from).toBe(1_000);
    pass(1_000);
    expect(steady() - from).toBe(2_000);
  });

  it("includes the machine's sleep, also after its clock was set back", () => {
    const { steady, pass, set } = machine();
    const from = steady();
    set(-20 * 60_000);
    steady();
    // the monotonic clock stops during sleep
    set(15 * 60_000);
    expect(steady() - from).toBe(15 * 60_000);
    pass(10);
    expect(steady() - from).toBe(15 * 60_000 + 10);
  });

  it('does not include small adjustments of the wall clock', () => {
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
