// Batches: small writes that arrive close together run as one statement, sorted by key, in one commit.
import { compareTexts } from '../base/compare-texts.ts';
import { isUnavailable, pauseAfterDeadlock } from '../db/failure.ts';

export interface BatchOptions<T> {
  /** Minimum time between the starts of two runs. An idle batch runs at the end of the event loop's turn. */
  gapMs: number;
  /** The gap for each item of the last run, up to `gapMs`: under low load, items hardly wait. Default: always `gapMs`. */
  gapPerItemMs?: number;
  /**
   * Turns of the event loop in which items may still join a run that is about to begin; default 1. A turn takes no time of its own: it handles
   * what has arrived while the items of the turn before were read.
   */
  turns?: number;
  /**
   * How many requests may bring items. The gap is shorter while they are few, and a run does not wait for it when as many
   * items wait, because nobody else can join.
   */
  inFlight?: { readonly count: number };
  /**
   * How many callers will bring an item, of which the batch learns before they have it. A run that has all of them begins immediately: a turn of the event
   * loop would first handle what else has arrived. Not for requests: those that arrive together are counted one by one.
   */
  callers?: { readonly count: number };
  /**
   * How many runs may be in progress; default 1. Another one begins only when as many items wait as the last one took: runs do not become smaller, and
   * the gateway prepares one while the database executes another. Only for runs that may commit in any order, as those of two processes do.
   */
  atOnce?: number;
  /** Items per run. */
  max: number;
  /** How much of a run each item takes; a run takes items up to `max` in all, and at least one. */
  weight?: { of: (item: T) => number; max: number };
  /**
   * Runs lock rows in the order of these keys. Use the same order everywhere, so that runs do not deadlock. Without keys, items
   * stay in the order of their arrival.
   */
  key?: (item: T) => string;
  /** Called with the number of items when a run begins, for metrics. */
  onRun?: (items: number) => void;
  /** Called before a run is repeated after a deadlock. */
  onDeadlock?: () => void;
}

interface Waiting<T, R> {
  item: T;
  key: string;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/** The gap for each request in progress, up to `gapMs`. */
const gapPerRequestMs = 0.5;

const deadlockDetected = '40P01';
const serializationFailure = '40001';
const deadlockRetries = 5;
/** Retried once: lock_timeout uses the wall clock, so a clock step cancels every statement that waits for a lock. */
const lockNotAvailable = '55P03';

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

function isDeadlock(error: unknown): boolean {
  const code = codeOf(error);
  return code === deadlockDetected || code === serializationFailure;
}

/**
 * Returns a function that adds one item and resolves with its result. `run` receives up to `max` items sorted by key and returns
 * one result for each, in that order. Runs overlap only with `atOnce`. A run is retried after deadlocks, and once after a lock timeout.
 * After any other error its items run one by one, so that only the invalid one fails.
 */
export function batch<T, R>(
  run: (items: T[]) => Promise<R[]>,
  options: BatchOptions<T>,
): (item: T) => Promise<R> {
  const batcher = new Batcher(run, options);
  return (item) => batcher.add(item);
}

class Batcher<T, R> {
  readonly #run: (items: T[]) => Promise<R[]>;
  readonly #options: BatchOptions<T>;
  readonly #waiting: Waiting<T, R>[] = [];
  /** Runs in progress, and the one that is about to begin. */
  #running = 0;
  #starting: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  #lastCount = 1;

  constructor(run: (items: T[]) => Promise<R[]>, options: BatchOptions<T>) {
    this.#run = run;
    this.#options = options;
  }

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, key: this.#options.key?.(item) ?? '', resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    const { gapMs, gapPerItemMs = Number.POSITIVE_INFINITY, max, inFlight, callers } = this.#options;
    if (!this.#mayStart()) return;
    if (callers !== undefined && this.#waiting.length >= callers.count) {
      this.#clearTimer();
      clearImmediate(this.#starting);
      void this.#flush();
      return;
    }
    if (this.#starting !== undefined) return;
    const count = inFlight?.count ?? Number.POSITIVE_INFINITY;
    const gap = Math.min(gapMs, count * gapPerRequestMs, this.#lastCount * gapPerItemMs);
    const waitMs = this.#lastStartMs + gap - performance.now();
    const full = Math.min(max, count);
    if (waitMs <= 0 || this.#waiting.length >= full) {
      this.#clearTimer();
      this.#start();
      return;
    }
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#starting === undefined && this.#mayStart()) this.#start();
    }, waitMs);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #mayStart(): boolean {
    if (this.#running >= (this.#options.atOnce ?? 1)) return false;
    return this.#waiting.length >= (this.#running === 0 ? 1 : this.#lastCount);
  }

  /** Items that arrive in the same turn of the event loop join the run, and with `turns` those of the turns after it. */
  #start(turns = this.#options.turns ?? 1): void {
    this.#starting = setImmediate(() => {
      if (turns > 1) this.#start(turns - 1);
      else void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#starting = undefined;
    this.#running += 1;
    this.#lastStartMs = performance.now();
    const taken = this.#waiting.splice(0, this.#fitting());
    this.#lastCount = taken.length;
    this.#schedule();
    this.#options.onRun?.(taken.length);
    taken.sort((a, b) => compareTexts(a.key, b.key));
    try {
      const results = await this.#attempt(taken.map((entry) => entry.item));
      taken.forEach((entry, index) => {
        entry.resolve(results[index] as R);
      });
    } catch (error) {
      if (taken.length === 1) taken[0]?.reject(error);
      else await this.#runOneByOne(taken);
    }
    this.#running -= 1;
    this.#schedule();
  }

  /** How many of the waiting items, in the order of their arrival, fit into one run. */
  #fitting(): number {
    const { max, weight } = this.#options;
    const most = Math.min(max, this.#waiting.length);
    if (!weight) return most;
    let sum = 0;
    for (let count = 0; count < most; count++) {
      sum += weight.of((this.#waiting[count] as Waiting<T, R>).item);
      if (sum > weight.max) return Math.max(1, count);
    }
    return most;
  }

  async #attempt(items: T[]): Promise<R[]> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#run(items);
      } catch (error) {
        if (tries === 0 && codeOf(error) === lockNotAvailable) continue;
        if (!isDeadlock(error) || tries === deadlockRetries) throw error;
        this.#options.onDeadlock?.();
        await pauseAfterDeadlock(error);
      }
    }
  }

  /** If the database becomes unavailable, the remaining items fail immediately. */
  async #runOneByOne(entries: Waiting<T, R>[]): Promise<void> {
    let unavailable: { error: unknown } | undefined;
    for (const entry of entries) {
      if (unavailable) {
        entry.reject(unavailable.error);
        continue;
      }
      try {
        const [result] = await this.#attempt([entry.item]);
        entry.resolve(result as R);
      } catch (error) {
        entry.reject(error);
        if (isUnavailable(error)) unavailable = { error };
      }
    }
  }
}
