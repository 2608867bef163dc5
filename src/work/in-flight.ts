// The number of requests in progress that may still bring items to a batch.

export interface InFlight {
  readonly count: number;
  /** Counts `work` until it settles. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

/** Opens a counter for one process. */
export function openInFlight(): InFlight {
  let count = 0;
  return {
    get count() {
      return count;
    },
    async during(work) {
      count += 1;
      try {
        return await work();
      } finally {
        count -= 1;
      }
    },
  };
}
