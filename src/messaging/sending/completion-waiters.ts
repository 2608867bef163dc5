// Requests that wait for their messages: told by whoever in this process learns an outcome.
import type { MessageError } from './message.ts';

/** What became of a message, as its row says. */
export interface Completion {
  id: string;
  state: number;
  wamid: string | null;
  error: MessageError | null;
}

export interface CompletionWaiters {
  /** Tells whoever waits that this outcome of a message is on disk. */
  completed(outcome: Completion): void;
  /** These may have no outcome for long: whoever waits for one of them looks soon whether one can come. */
  recheckSoon(ids: readonly string[]): void;
  /**
   * Resolves with the outcomes that are on disk, by the messages' ids, when they all are or when the time is up. `look`
   * is asked now and then for those that another process settled, and for those of which no outcome can come in the
   * milliseconds that are left, which it answers as `queued`.
   */
  wait(
    ids: string[],
    timeoutMs: number,
    look: (ids: string[], leftMs: number) => Promise<Completion[]>,
  ): Promise<Map<string, Completion>>;
  /** Lets every waiting request go on, and later ones not wait: the process is about to end. */
  end(): void;
}

const lookEveryMs = 1_000;
/** So long after a doubt, so that its neighbours are looked at with it. */
const doubtMs = 50;

interface Waiting {
  settle: (outcome: Completion) => void;
  recheckSoon: () => void;
}

/** A registry of waiting requests. */
export function openCompletionWaiters(): CompletionWaiters {
  const waiting = new Map<string, Waiting>();
  const requests = new Set<() => void>();
  let ended = false;

  return {
    completed(outcome) {
      waiting.get(outcome.id)?.settle(outcome);
    },

    recheckSoon(ids) {
      for (const id of ids) waiting.get(id)?.recheckSoon();
    },

    wait(ids, timeoutMs, look) {
      const known = new Map<string, Completion>();
      if (ids.length === 0 || timeoutMs <= 0 || ended) return Promise.resolve(known);
      return new Promise((resolve) => {
        const open = new Set(ids);
        const endsAtMs = performance.now() + timeoutMs;
        let doubted: NodeJS.Timeout | undefined;
        const end = () => {
          clearTimeout(deadline);
          clearTimeout(doubted);
          clearInterval(looking);
          for (const id of open) waiting.delete(id);
          requests.delete(end);
          resolve(known);
        };
        const settle = (outcome: Completion) => {
          if (!open.delete(outcome.id)) return;
          known.set(outcome.id, outcome);
          waiting.delete(outcome.id);
          if (open.size === 0) end();
        };
        const lookOnce = () => {
          doubted = undefined;
          look([...open], endsAtMs - performance.now()).then(
            (completed) => {
              for (const outcome of completed) settle(outcome);
            },
            () => undefined,
          );
        };
        const recheckSoon = () => {
          if (open.size > 0) doubted ??= setTimeout(lookOnce, doubtMs);
        };
        requests.add(end);
        for (const id of ids) waiting.set(id, { settle, recheckSoon });
        const deadline = setTimeout(end, timeoutMs);
        const looking = setInterval(lookOnce, lookEveryMs);
      });
    },

    end() {
      ended = true;
      for (const end of [...requests]) end();
    },
  };
}
