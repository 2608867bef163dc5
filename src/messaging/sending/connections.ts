// Connections to the platform that the calls of one process share: a message is marked only once one is free to take its request.

export interface Connections {
  /** Takes up to `wanted` that are free now. */
  tryAcquire(wanted: number): number;
  /** The same, waiting for its turn until there is at least one. */
  acquire(wanted: number): Promise<number>;
  /** Gives connections back; `used`: their calls have ended. */
  release(count: number, used: boolean): void;
}

/** At first, since connections have to be made, which takes a while in which a marked message waits. */
const atFirst = 32;
/** Idle connections are closed after 30 s. */
const openForMs = 25_000;

/**
 * Opens the count: at most `max` at once, and at first few, doubled by each call that ends while all of them are in use.
 */
export function openConnections(max: number): Connections {
  let inUse = 0;
  let proven = 0;
  let provenUntilMs = 0;
  /** None while a connection is free. */
  const waiting: { wanted: number; grant: (count: number) => void }[] = [];

  const limit = () => Math.min(max, Math.max(atFirst, performance.now() < provenUntilMs ? 2 * proven : 0));

  function tryAcquire(wanted: number): number {
    const count = Math.max(0, Math.min(wanted, limit() - inUse));
    inUse += count;
    return count;
  }

  return {
    tryAcquire,
    acquire(wanted) {
      const count = tryAcquire(wanted);
      if (count > 0) return Promise.resolve(count);
      return new Promise((grant) => waiting.push({ wanted, grant }));
    },
    release(count, used) {
      const now = performance.now();
      if (used && (inUse >= proven || now >= provenUntilMs)) {
        proven = inUse;
        provenUntilMs = now + openForMs;
      }
      inUse -= count;
      for (let next = waiting[0]; next; next = waiting[0]) {
        const granted = tryAcquire(next.wanted);
        if (granted === 0) return;
        waiting.shift();
        next.grant(granted);
      }
    },
  };
}
