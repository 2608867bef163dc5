// Chance that can be repeated: the same seed makes the same choices, whatever the machine does meanwhile. Pure.

export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** One of the list. */
  pick<T>(list: readonly T[]): T;
  /** One of the list's first members, as often as its second says against the others'. */
  weighed<T>(list: readonly (readonly [T, number])[]): T;
  /** Chance of its own, so that what one part of a campaign draws does not move what another draws. */
  part(name: string): Chance;
}

/** The generator mulberry32 (public domain, T. Ettinger), seeded by a 32-bit number. */
export function chance(seed: number): Chance {
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
    weighed: <T>(list: readonly (readonly [T, number])[]) => {
      let left = next() * list.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [one, weight] of list) {
        left -= weight;
        if (left < 0) return one;
      }
      return (list.at(-1) as readonly [T, number])[0];
    },
    part: (name) => {
      let hash = seed >>> 0;
      for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
      return chance(hash);
    },
  };
}
