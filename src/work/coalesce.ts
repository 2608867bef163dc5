// Coalesced calls: concurrent callers with the same key share one call that started after they asked.

interface CallsOfKey<A> {
  /** The next call, which still accepts callers; undefined once it has started. */
  gathering: Promise<A> | undefined;
  /** Resolves when the last call has ended. */
  over: Promise<void>;
}

const turn = () => new Promise<void>((begin) => void setImmediate(begin));

/**
 * Returns a function that takes a key and the function to call. One call per key runs at a time; callers in the meantime share the
 * next one. It is the first caller's function, and its result is for all of them, so the key must include everything that it
 * depends on. An error rejects all of them.
 */
export function coalesced<A>(): (key: string, call: () => Promise<A>) => Promise<A> {
  const callsByKey = new Map<string, CallsOfKey<A>>();

  return (key, call) => {
    // the first call waits for callers in the same turn of the event loop
    const ofKey = callsByKey.get(key) ?? { gathering: undefined, over: turn() };
    callsByKey.set(key, ofKey);
    if (ofKey.gathering) return ofKey.gathering;
    const next = ofKey.over.then(() => {
      ofKey.gathering = undefined;
      return call();
    });
    ofKey.gathering = next;
    const over = next
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        if (ofKey.over === over) callsByKey.delete(key);
      });
    ofKey.over = over;
    return next;
  };
}
