// Turns of host names that wait to be looked up: domains take turns, so that one with thousands of names delays no other.

/** Names by their labels from the right; a name is a leaf. */
type Waiting = Map<string, Waiting | (() => void)>;

/** Labels from the right by which names take turns: a domain below `co.uk` has three. */
const labelsMax = 3;

const pathOf = (hostname: string): string[] => hostname.split('.').slice(-labelsMax).reverse();

function add(waiting: Waiting, hostname: string, begin: () => void): void {
  let at = waiting;
  for (const label of pathOf(hostname)) {
    const below = at.get(label);
    const next: Waiting = below instanceof Map ? below : new Map();
    at.set(label, next);
    at = next;
  }
  // labels have no dots
  at.set(`.${hostname}`, begin);
}

/** Removes the name whose turn it is; the next turn is another domain's. */
function takeNext(waiting: Waiting): (() => void) | undefined {
  for (const [label, below] of waiting) {
    waiting.delete(label);
    if (!(below instanceof Map)) return below;
    const next = takeNext(below);
    if (below.size > 0) waiting.set(label, below);
    return next;
  }
  return undefined;
}

/** Runs a look-up when it is the turn of its name; each name waits once at a time. */
export type InTurn = <T>(hostname: string, run: () => Promise<T>) => Promise<T>;

/** Lets at most `max` names run at a time. */
export function openTurns(max: number): InTurn {
  const waiting: Waiting = new Map();
  let running = 0;
  return async (hostname, run) => {
    if (running === max) await new Promise<void>((begin) => add(waiting, hostname, begin));
    else running += 1;
    try {
      return await run();
    } finally {
      // the next one takes the place
      const begin = takeNext(waiting);
      if (begin) begin();
      else running -= 1;
    }
  };
}
