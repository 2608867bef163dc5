// How long sends did not work although the database accepted writes. Pure.

/**
 * The longest time, in milliseconds, from a moment at which the database last rejected a write, or was being replaced, to a send
 * that still did not work. All times are unix milliseconds; `backMs` is when the scenario's fault was over for the database.
 */
export function recoveryMs(
  problemsMs: readonly number[],
  { backMs, failedWritesMs }: { backMs: number; failedWritesMs: readonly number[] },
): number {
  const sinceLast = (atMs: number) =>
    atMs - Math.max(backMs, ...failedWritesMs.filter((failedMs) => failedMs <= atMs));
  return Math.max(0, ...problemsMs.map(sinceLast));
}
