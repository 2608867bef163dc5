// Shared rounds: concurrent callers with the same key share a result whose computation started after they called.

interface KeyRounds<A> {
  /** The next round, which still accepts callers; undefined once it has started. */
  gathering: Promise<A> | undefined;
  /** Resolves when the last round has ended. */
  over: Promise<void>;
}

const turn = () => new Promise<void>((begin) => void setImmediate(begin));

/**
 * Returns a function that takes a key and a function that computes its result. One round per key runs at a time; callers in the
 * meantime share the next one. The first caller's function computes the result for all of them, so the key must include
 * everything that it depends on. An error rejects all of them.
 */
export function rounds<A>(): (key: string, answer: () => Promise<A>) => Promise<A> {
  const roundsByKey = new Map<string, KeyRounds<A>>();

  return (key, answer) => {
    // the first round waits for callers in the same turn of the event loop
    const ofKey = roundsByKey.get(key) ?? { gathering: undefined, over: turn() };
    roundsByKey.set(key, ofKey);
    if (ofKey.gathering) return ofKey.gathering;
    const round = ofKey.over.then(() => {
      ofKey.gathering = undefined;
      return answer();
    });
    ofKey.gathering = round;
    const over = round
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        if (ofKey.over === over) roundsByKey.delete(key);
      });
    ofKey.over = over;
    return round;
  };
}
