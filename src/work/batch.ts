// Many small writes, one commit: items that arrive close together run as one batch, sorted by key.
import { isAway } from '../db/failure.ts';

export interface BatchOptions<T> {
  /** A flush starts at once if the lane is idle, else not sooner than this after the last start. */
  gapMs: number;
  /** Items in one run at most. */
  max: number;
  /** The order in which a run locks its rows: the same everywhere, so that runs do not deadlock. */
  key: (item: T) => string;
  /** Told of every run that the database gave up as a deadlock and that is tried again. */
  onDeadlock?: () => void;
}

interface Waiting<T, R> {
  item: T;
  key: string;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

const deadlockDetected = '40P01';
const serializationFailure = '40001';
const deadlockRetries = 5;
/** Its timer goes by the wall clock: a step of that cancels whoever waits for a lock at the moment. Once more, it waits in earnest. */
const lockNotAvailable = '55P03';

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

function isDeadlock(error: unknown): boolean {
  const code = codeOf(error);
  return code === deadlockDetected || code === serializationFailure;
}

/**
 * Makes a lane: the function answered takes one item and resolves with its own result. `run` gets up to `max` items
 * sorted by key and answers one result for each, in that order. One run is under way at a time. A run that fails by
 * deadlock is tried again, once also after a time-out of a lock; one that fails otherwise is done item by item, so that one bad row fails alone.
 */
export function batch<T, R>(
  run: (items: T[]) => Promise<R[]>,
  options: BatchOptions<T>,
): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = [];
  let running = false;
  let timer: NodeJS.Timeout | undefined;
  let lastStart = Number.NEGATIVE_INFINITY;

  async function attempt(items: T[]): Promise<R[]> {
    for (let tries = 0; ; tries++) {
      try {
        return await run(items);
      } catch (error) {
        if (tries === 0 && codeOf(error) === lockNotAvailable) continue;
        if (!isDeadlock(error) || tries === deadlockRetries) throw error;
        options.onDeadlock?.();
      }
    }
  }

  /** Item by item, until the database proves to be away: then all that are left fail at once. */
  async function eachAlone(entries: Waiting<T, R>[]): Promise<void> {
    let away: { error: unknown } | undefined;
    for (const entry of entries) {
      if (away) {
        entry.reject(away.error);
        continue;
      }
      try {
        const [result] = await attempt([entry.item]);
        entry.resolve(result as R);
      } catch (error) {
        entry.reject(error);
        if (isAway(error)) away = { error };
      }
    }
  }

  async function flush(): Promise<void> {
    running = true;
    lastStart = performance.now();
    const taken = waiting.splice(0, options.max);
    taken.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    try {
      const results = await attempt(taken.map((entry) => entry.item));
      taken.forEach((entry, index) => {
        entry.resolve(results[index] as R);
      });
    } catch (error) {
      if (taken.length === 1) taken[0]?.reject(error);
      else await eachAlone(taken);
    }
    running = false;
    plan();
  }

  function plan(): void {
    if (running || waiting.length === 0) return;
    const waitMs = lastStart + options.gapMs - performance.now();
    if (waitMs <= 0 || waiting.length >= options.max) {
      clearTimeout(timer);
      timer = undefined;
      void flush();
      return;
    }
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (!running) void flush();
    }, waitMs);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, key: options.key(item), resolve, reject });
      plan();
    });
}
