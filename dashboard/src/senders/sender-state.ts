// The platform's words about a number, as figures. Pure.

/** People that the business may write to first in a day: `TIER_2K` is 2,000; undefined: a word that the page does not know. */
export function limitOf(limit: string | null): number | undefined {
  if (limit === 'TIER_UNLIMITED') return Number.POSITIVE_INFINITY;
  const [, count, thousands] = /^TIER_(\d+)(K?)$/.exec(limit ?? '') ?? [];
  return count === undefined ? undefined : Number(count) * (thousands ? 1_000 : 1);
}
