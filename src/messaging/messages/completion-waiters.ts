// Requests that wait for their messages to complete, and the wake-ups by results recorded in this process.
import type { MessageError } from './message.ts';

/** The stored result of a message: accepted or beyond, or failed. `queued` if it cannot complete soon. */
export interface Completion {
  id: string;
  state: number;
  wamid: string | null;
  error: MessageError | null;
  /** Milliseconds of the platform's call, if this process made it. */
  callMs?: number;
}

/** Finds completions among these messages, within the milliseconds that are left. */
export type FindCompletions = (ids: string[], leftMs: number) => Promise<Completion[]>;

export interface CompletionWaiters {
  /** Notes how long the platform's call of this message took, for the request that waits for it. */
  called(id: string, ms: number): void;
  /** Wakes the request that waits for this message. Call after the commit. */
  completed(completion: Completion): void;
  /** Makes requests that wait for these messages check soon whether they can still complete in time. */
  recheckSoon(ids: readonly string[]): void;
  /**
   * Resolves with the completions by message id when all messages are complete or the time is up. Calls `find` every second,
   * for messages that another process completed or that cannot complete in time.
   */
  wait(ids: string[], timeoutMs: number, find: FindCompletions): Promise<Map<string, Completion>>;
  /** Ends all waits, and later ones immediately: the process is stopping. */
  end(): void;
}

const checkEveryMs = 1_000;
/** Long enough for the other messages of a request to be checked with the first. */
const recheckAfterMs = 50;

interface Waiter {
  called: (ms: number) => void;
  complete: (completion: Completion) => void;
  recheck: () => void;
}

/** Opens the waiters of a process. */
export function openCompletionWaiters(): CompletionWaiters {
  const waiters = new Map<string, Waiter>();
  const requests = new Set<() => void>();
  let ended = false;

  return {
    called(id, ms) {
      waiters.get(id)?.called(ms);
    },

    completed(completion) {
      waiters.get(completion.id)?.complete(completion);
    },

    recheckSoon(ids) {
      for (const id of ids) waiters.get(id)?.recheck();
    },

    wait(ids, timeoutMs, find) {
      if (ids.length === 0 || timeoutMs <= 0 || ended) return Promise.resolve(new Map());
      return waitFor({ ids, timeoutMs, find }, waiters, requests);
    },

    end() {
      ended = true;
      for (const end of [...requests]) end();
    },
  };
}

function waitFor(
  request: { ids: string[]; timeoutMs: number; find: FindCompletions },
  waiters: Map<string, Waiter>,
  requests: Set<() => void>,
): Promise<Map<string, Completion>> {
  const { ids, timeoutMs, find } = request;
  const completions = new Map<string, Completion>();
  const calls = new Map<string, number>();
  const pending = new Set(ids);
  const endsAtMs = performance.now() + timeoutMs;
  return new Promise((resolve) => {
    let rechecking: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(deadline);
      clearTimeout(rechecking);
      clearInterval(checking);
      for (const id of pending) waiters.delete(id);
      requests.delete(end);
      resolve(completions);
    };
    const complete = (completion: Completion) => {
      if (!pending.delete(completion.id)) return;
      const callMs = calls.get(completion.id);
      completions.set(completion.id, callMs === undefined ? completion : { ...completion, callMs });
      waiters.delete(completion.id);
      if (pending.size === 0) end();
    };
    const check = () => {
      rechecking = undefined;
      find([...pending], endsAtMs - performance.now()).then(
        (found) => {
          for (const completion of found) complete(completion);
        },
        () => undefined,
      );
    };
    const recheck = () => {
      if (pending.size > 0) rechecking ??= setTimeout(check, recheckAfterMs);
    };
    requests.add(end);
    for (const id of ids) waiters.set(id, { complete, recheck, called: (ms) => void calls.set(id, ms) });
    const deadline = setTimeout(end, timeoutMs);
    const checking = setInterval(check, checkEveryMs);
  });
}
