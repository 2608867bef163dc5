// Monotonic time for durations within this process, unaffected by changes of the machine's clock.

/** Milliseconds of the monotonic clock that all threads of this machine share. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** If the wall clock advances more than this against the monotonic one between two reads, it was set or the machine slept. */
const jumpMs = 1_000;

/**
 * Returns a function that reads a monotonic clock in milliseconds. `CLOCK_MONOTONIC`, used by `performance.now()`, stops
 * while a machine is suspended (clock_gettime(2)), so forward jumps of the wall clock are added: a lease from before is
 * then expired here as it is for other machines. Backward steps of the wall clock have no effect.
 */
export function openSteady(
  wall: () => number = () => Date.now(),
  monotonic: () => number = () => performance.now(),
): () => number {
  let jumpedMs = 0;
  let offset = wall() - monotonic();
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    const [wallMs, monotonicMs] = [wall(), monotonic()];
    const ahead = wallMs - monotonicMs - offset;
    offset += ahead;
    if (ahead > jumpMs) jumpedMs += ahead;
    latest = Math.max(latest, monotonicMs + jumpedMs);
    return latest;
  };
}
