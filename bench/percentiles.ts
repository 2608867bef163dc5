// Percentiles of measured values. Pure.

export interface Spread {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** The value that `share` (0 to 1) of `sorted` do not exceed (nearest rank); NaN if empty. */
function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The percentiles of values in any order. */
export function spread(values: Iterable<number>): Spread {
  const sorted = Float64Array.from(values).sort();
  return {
    count: sorted.length,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    max: percentile(sorted, 1),
  };
}

/** The median; NaN if empty. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)] as number;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The median of a figure of each item, for example of each round; NaN if an item has none. */
export function medianOf<Item>(items: readonly Item[], figure: (item: Item) => number | undefined): number {
  return median(items.map((item) => figure(item) ?? Number.NaN));
}
