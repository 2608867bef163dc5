// Per-key queues of leased work in memory. Pure.

/** A queued item and the instant, in milliseconds of `clock.steady()`, after which this process must not start it. */
export interface Leased<T> {
  item: T;
  startBeforeMs: number;
}

interface Totals {
  queued: number;
}

/** The queue of one key: items by priority, then in the order of arrival, and how many have started. */
export class Subqueue<T, S> {
  readonly key: string;
  /** What the owner keeps for this key; it goes when the subqueue is removed. */
  readonly state: S;
  /** Items that have started and not ended, and slots reserved for items that were never queued. */
  running = 0;
  /** Counts calls of `drain`, so that work under way notices that its key was emptied. */
  drains = 0;
  readonly #levels: Leased<T>[][];
  readonly #totals: Totals;

  constructor(key: string, state: S, priorities: number, totals: Totals) {
    this.key = key;
    this.state = state;
    this.#levels = Array.from({ length: priorities }, () => []);
    this.#totals = totals;
  }

  /** Queued items of this priority or a more urgent one; of all by default. */
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

  /** Removes the next item that may still start at `nowMs`. Lapsed items before it are removed and appended to `lapsed`. */
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

  /** The queued items in their order. They stay queued. */
  items(): T[] {
    return this.#levels.flatMap((level) => level.map(({ item }) => item));
  }

  /** Removes all queued items. What has started goes on. */
  drain(): T[] {
    this.drains += 1;
    return this.extract(() => true);
  }

  /** Removes the queued items that `matches` accepts, and returns them in their order. */
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
  /** Priorities within a key; 1 by default. */
  priorities?: number;
  /** Makes what the owner keeps for a key. */
  newState: (key: string) => S;
}

/**
 * Leased work in memory, one subqueue per key (a sender, a webhook endpoint), so that a slow key never delays another. Within a key, items
 * leave by priority and then in order of arrival. It is a data structure alone: it reads no clock, starts nothing and calls nobody back. The
 * owner pushes items that this process has leased, decides by its own limits and pace when the next one may start, counts it in `running`
 * until it has ended, and then calls `remove`, which forgets a key without work. An item whose lease is about to lapse is never handed out.
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

  /** Queued items of all keys. */
  get queued(): number {
    return this.#totals.queued;
  }

  /** The key's subqueue, if it has one. */
  find(key: string): Subqueue<T, S> | undefined {
    return this.#subqueues.get(key);
  }

  /** The key's subqueue, made if it has none. */
  open(key: string): Subqueue<T, S> {
    const known = this.#subqueues.get(key);
    if (known) return known;
    const opened = new Subqueue<T, S>(key, this.#newState(key), this.#priorities, this.#totals);
    this.#subqueues.set(key, opened);
    return opened;
  }

  /** Every subqueue, in the order in which their keys were opened. */
  all(): Iterable<Subqueue<T, S>> {
    return this.#subqueues.values();
  }

  /** Removes a subqueue with nothing queued or running; returns whether it did. */
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
