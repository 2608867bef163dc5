// Messages of one sender that wait for their call: first in, first out within each priority.

interface Entry<T> {
  item: T;
  /** Of `clock.steady()`. */
  offeredAtMs: number;
}

/** A queue with the three priorities of messages; 0 is the most urgent. */
export class UrgencyQueue<T> {
  readonly #queues: Entry<T>[][] = [[], [], []];

  get size(): number {
    return this.sizeUpTo(this.#queues.length - 1);
  }

  /** The number of items that are no less urgent than `priority`. */
  sizeUpTo(priority: number): number {
    let size = 0;
    for (let at = 0; at <= priority; at++) size += this.#queues[at]?.length ?? 0;
    return size;
  }

  /** Adds an item; an unknown priority counts as the least urgent. */
  add(item: T, priority: number, offeredAtMs: number): void {
    (this.#queues[priority] ?? this.#queues.at(-1))?.push({ item, offeredAtMs });
  }

  /** Takes up to `count` items, the most urgent first; those on the way that were offered before `trustedFromMs` are `late`. */
  take(count: number, trustedFromMs: number): { taken: T[]; late: T[] } {
    const taken: T[] = [];
    const late: T[] = [];
    for (const queue of this.#queues) {
      while (taken.length < count && queue.length > 0) {
        const { item, offeredAtMs } = queue.shift() as Entry<T>;
        (offeredAtMs < trustedFromMs ? late : taken).push(item);
      }
    }
    return { taken, late };
  }

  /** The items in the order in which they would be taken. */
  all(): T[] {
    return this.#queues.flatMap((queue) => queue.map(({ item }) => item));
  }

  /** Removes and returns all items. */
  takeAll(): T[] {
    return this.#queues.flatMap((queue) => queue.splice(0)).map(({ item }) => item);
  }

  /** Removes and returns the items that meet the condition. */
  remove(isRemoved: (item: T) => boolean): T[] {
    return this.#queues.flatMap((queue) => {
      const removed = queue.filter(({ item }) => isRemoved(item));
      queue.splice(0, queue.length, ...queue.filter(({ item }) => !isRemoved(item)));
      return removed.map(({ item }) => item);
    });
  }
}
