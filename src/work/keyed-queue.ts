// Per-key queues of leased work in memory. Pure.

/** A queued item and the time, in milliseconds of `clock.steady()`, after which this process must not start it. */
export interface Leased<T> {
  item: T;
  startBeforeMs: number;
}

interface Totals {
  queued: number;
}

/** The queue of one key: items by priority and order of arrival, and the number of running items. */
export class Subqueue<T, S> {
  readonly key: string;
  /** The owner's state for this key, dropped with the subqueue. */
  readonly state: S;
  /** Items in progress, including slots reserved for items that were never queued. */
  running = 0;
  /** Counts calls of `drain`, so that work in progress notices that its key was emptied. */
  drains = 0;
  readonly #levels: Leased<T>[][];
  readonly #totals: Totals;

  constructor(key: string, state: S, priorities: number, totals: Totals) {
    this.key = key;
    this.state = state;
    this.#levels = Array.from({ length: priorities }, () => []);
    this.#totals = totals;
  }

  /** Number of queued items of this priority or a more urgent one; default: all. */
  queued(leastUrgent = this.#levels.length - 1): number {
    let count = 0;
    for (let level = 0; level <= leastUrgent; level++) count += this.#levels[level]?.length ?? 0;
    return count;
  }

  /** Appends an item; 0 is the most urgent priority, and one beyond the last counts as the last. */
  push(item: T, startBeforeMs: number, priority = 0): void {
    this.#levels[Math.min(priority, this.#levels.length - 1)]?.push({ item, startBeforeMs });
    this.#totals.queued += 1;
  }

  /** Removes the next item that may still start at `nowMs`. Removes lapsed items before it and appends them to `lapsed`. */
  take(nowMs: number, lapsed?: T[]): Leased<T> | undefined {
    for (const level of this.#levels) {
      for (let next = level.shift(); next; next = level.shift()) {
        this.#totals.queued -= 1;
        if (nowMs <= next.startBeforeMs) return next;
        lapsed?.push(next.item);
      }
    }
    return undefined;
  }

  /** The queued items in their order, without removing them. */
  items(): T[] {
    return this.#levels.flatMap((level) => level.map(({ item }) => item));
  }

  /** Removes all queued items. Running items continue. */
  drain(): T[] {
    this.drains += 1;
    return this.extract(() => true);
  }

  /** Removes and returns the queued items for which `matches` is true, in their order. */
  extract(matches: (item: T) => boolean): T[] {
    const extracted: T[] = [];
    for (const level of this.#levels) {
      const kept: Leased<T>[] = [];
      for (const entry of level) {
        if (matches(entry.item)) extracted.push(entry.item);
        else kept.push(entry);
      }
      if (kept.length < level.length) level.splice(0, level.length, ...kept);
    }
    this.#totals.queued -= extracted.length;
    return extracted;
  }
}

export interface KeyedQueueOptions<S> {
  /** Number of priorities within a key; default 1. */
  priorities?: number;
  /** Creates the owner's state for a key. */
  newState: (key: string) => S;
}

/**
 * Leased work in memory, one subqueue per key (a sender, a webhook endpoint), so that a slow key never delays another. Within a
 * key, items leave by priority and then in order of arrival. It is only a data structure: it reads no clock, starts nothing and
 * has no callbacks. The owner pushes leased items, decides when the next one may start, counts it in `running` until it has
 * ended, and then calls `remove`, which drops keys without work. Items whose lease is about to lapse are never returned.
 */
export class KeyedQueue<T, S> {
  readonly #subqueues = new Map<string, Subqueue<T, S>>();
  readonly #totals: Totals = { queued: 0 };
  readonly #priorities: number;
  readonly #newState: (key: string) => S;
  #whenEmpty: (() => void)[] = [];

  constructor(options: KeyedQueueOptions<S>) {
    this.#priorities = options.priorities ?? 1;
    this.#newState = options.newState;
  }

  /** Number of queued items of all keys. */
  get queued(): number {
    return this.#totals.queued;
  }

  /** The key's subqueue, if it has one. */
  find(key: string): Subqueue<T, S> | undefined {
    return this.#subqueues.get(key);
  }

  /** The key's subqueue, created if it is missing. */
  open(key: string): Subqueue<T, S> {
    const known = this.#subqueues.get(key);
    if (known) return known;
    const opened = new Subqueue<T, S>(key, this.#newState(key), this.#priorities, this.#totals);
    this.#subqueues.set(key, opened);
    return opened;
  }

  /** All subqueues, in the order in which their keys were opened. */
  all(): Iterable<Subqueue<T, S>> {
    return this.#subqueues.values();
  }

  /** Removes the subqueue if nothing is queued or running; returns whether it did. */
  remove(subqueue: Subqueue<T, S>): boolean {
    if (subqueue.running > 0 || subqueue.queued() > 0 || this.find(subqueue.key) !== subqueue) return false;
    this.#subqueues.delete(subqueue.key);
    if (this.#subqueues.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
    return true;
  }

  /** Resolves when no key is left. */
  whenEmpty(): Promise<void> {
    if (this.#subqueues.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }
}
