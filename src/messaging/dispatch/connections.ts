// The limit of concurrent connections to the platform, shared by all calls of this process.

export interface Connections {
  /** Acquires up to `wanted` connections that are free now. */
  tryAcquire(wanted: number): number;
  /** Waits in line until at least one connection is free, then acquires up to `wanted`. */
  acquire(wanted: number): Promise<number>;
  /** Releases connections. `used`: their calls were made. */
  release(count: number, used: boolean): void;
}

/** Low, because a dispatching message waits while its connection is being opened. */
const initialLimit = 32;
/** Idle connections are closed after 30 s. */
const openForMs = 25_000;

/** Opens a limit of `max` connections. It starts low; each call that ends while all are in use doubles it. */
export function openConnections(max: number): Connections {
  let inUse = 0;
  let established = 0;
  let establishedUntilMs = 0;
  /** Empty while a connection is free. */
  const waiting: { wanted: number; onAcquired: (count: number) => void }[] = [];

  const limit = () =>
    Math.min(max, Math.max(initialLimit, performance.now() < establishedUntilMs ? 2 * established : 0));

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
      return new Promise((onAcquired) => waiting.push({ wanted, onAcquired }));
    },
    release(count, used) {
      const now = performance.now();
      if (used && (inUse >= established || now >= establishedUntilMs)) {
        established = inUse;
        establishedUntilMs = now + openForMs;
      }
      inUse -= count;
      for (let next = waiting[0]; next; next = waiting[0]) {
        const acquired = tryAcquire(next.wanted);
        if (acquired === 0) return;
        waiting.shift();
        next.onAcquired(acquired);
      }
    },
  };
}
