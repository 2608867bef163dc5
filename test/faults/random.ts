// Seeded random numbers: the same seed makes the same choices, whatever the machine does. Pure.

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** A random element of the list. */
  pick<T>(list: readonly T[]): T;
  /** A random first member of the pairs, weighted by the second members. */
  weighted<T>(list: readonly (readonly [T, number])[]): T;
  /** A separate generator, so that one part of a campaign does not change what another part draws. */
  fork(name: string): Random;
}

/** The generator mulberry32 (public domain, T. Ettinger), seeded by a 32-bit number. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T,
    weighted: <T>(list: readonly (readonly [T, number])[]) => {
      let left = next() * list.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [one, weight] of list) {
        left -= weight;
        if (left < 0) return one;
      }
      return (list.at(-1) as readonly [T, number])[0];
    },
    fork: (name) => {
      let hash = seed >>> 0;
      for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
      return seededRandom(hash);
    },
  };
}
