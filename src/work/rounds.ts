// One answer for all who ask the same at the same time, which never rests on anything begun before its question came.

interface Lane<A> {
  /** The round that still takes questions; undefined once it has begun. */
  gathering: Promise<A> | undefined;
  /** Resolves when the last round begun or gathered is over. */
  over: Promise<void>;
}

const turn = () => new Promise<void>((begin) => void setImmediate(begin));

/**
 * Makes a way to ask by rounds: the function answered takes the question as a key, and how to answer it. One round of a
 * key runs at a time. Whoever asks meanwhile waits for the next round, which all of them share; the first of them says
 * how it is answered, so the key has to name everything that the answer depends on. A round that fails, fails for all of it.
 */
export function rounds<A>(): (key: string, answer: () => Promise<A>) => Promise<A> {
  const lanes = new Map<string, Lane<A>>();

  return (key, answer) => {
    // a first round gathers the questions that came in the same turn of the event loop
    const lane = lanes.get(key) ?? { gathering: undefined, over: turn() };
    lanes.set(key, lane);
    if (lane.gathering) return lane.gathering;
    const round = lane.over.then(() => {
      lane.gathering = undefined;
      return answer();
    });
    lane.gathering = round;
    const over = round
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        if (lane.over === over) lanes.delete(key);
      });
    lane.over = over;
    return round;
  };
}
