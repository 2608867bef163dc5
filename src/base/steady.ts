// Monotonic time for durations inside this process, unaffected by changes of the machine's clock.

/** The wall clock got ahead of the monotonic one by more than this between two looks: it was set, or the machine slept. */
const jumpMs = 1_000;

/**
 * Opens a count of milliseconds since some instant that never steps back. `CLOCK_MONOTONIC`, behind `performance.now()`,
 * stands still while a machine is suspended (clock_gettime(2)); so what the wall clock jumps ahead of it counts as well: a
 * lease or a mark from before is then old, as it is for everybody else. A wall clock that is set back changes nothing.
 */
export function openSteady(
  wall: () => number = () => Date.now(),
  monotonic: () => number = () => performance.now(),
): () => number {
  let jumped = 0;
  let offset = wall() - monotonic();
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    const [wallMs, monotonicMs] = [wall(), monotonic()];
    const ahead = wallMs - monotonicMs - offset;
    offset += ahead;
    if (ahead > jumpMs) jumped += ahead;
    latest = Math.max(latest, monotonicMs + jumped);
    return latest;
  };
}
