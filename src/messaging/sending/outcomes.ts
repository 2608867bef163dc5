// Requests that wait for their messages: told by whoever in this process learns an outcome.

export interface Outcomes {
  /** Tells whoever waits that the outcome of a message is on disk. */
  settled(id: string): void;
  /**
   * Resolves when the outcomes of all these messages are on disk, or when the time is up. `look` is asked now and then
   * for those that another process settled.
   */
  wait(ids: string[], timeoutMs: number, look: (ids: string[]) => Promise<string[]>): Promise<void>;
  /** Lets every waiting request go on, and later ones not wait: the process is about to end. */
  end(): void;
}

const lookEveryMs = 1_000;

/** A registry of waiting requests. */
export function openOutcomes(): Outcomes {
  const waiting = new Map<string, () => void>();
  const requests = new Set<() => void>();
  let ended = false;

  return {
    settled(id) {
      waiting.get(id)?.();
    },

    wait(ids, timeoutMs, look) {
      if (ids.length === 0 || timeoutMs <= 0 || ended) return Promise.resolve();
      return new Promise((resolve) => {
        const open = new Set(ids);
        const end = () => {
          clearTimeout(deadline);
          clearInterval(looking);
          for (const id of open) waiting.delete(id);
          requests.delete(end);
          resolve();
        };
        const settle = (id: string) => {
          if (!open.delete(id)) return;
          waiting.delete(id);
          if (open.size === 0) end();
        };
        requests.add(end);
        for (const id of ids) waiting.set(id, () => settle(id));
        const deadline = setTimeout(end, timeoutMs);
        const looking = setInterval(() => {
          look([...open]).then(
            (settled) => {
              for (const id of settled) settle(id);
            },
            () => undefined,
          );
        }, lookEveryMs);
      });
    },

    end() {
      ended = true;
      for (const end of [...requests]) end();
    },
  };
}
