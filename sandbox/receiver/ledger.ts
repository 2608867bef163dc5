// The receiver's ledger: the newest requests, and waits for the next event.
import type { IncomingHttpHeaders } from 'node:http';

/** One request to a hook. */
export interface Received {
  seq: number;
  hook: string;
  /** When its body was complete (ISO 8601). */
  at: string;
  verified: boolean;
  /** The response's HTTP status, or the fault injected instead. */
  answered: number | string;
  headers: IncomingHttpHeaders;
  /** The exact body as text. */
  body: string;
}

export interface ReceivedFilter {
  hook?: string;
  /** The body's `data.messageId`. */
  messageId?: string;
  /** The body's `event`, such as `messages.status`. */
  kind?: string;
  /** The body's `data.status`. */
  status?: string;
  verified?: boolean;
  /** Only requests after this `seq`. */
  since?: number;
  /** The newest that match, instead of the oldest. */
  newest?: boolean;
  limit?: number;
}

export interface ReceivedCounts {
  received: number;
  verified: number;
  kept: number;
}

export interface ReceivedLedger {
  add(got: Omit<Received, 'seq'>): Received;
  find(filter: ReceivedFilter): Received[];
  /** Resolves with the matching requests, immediately or as soon as there is one; empty after `waitMs`. */
  wait(filter: ReceivedFilter, waitMs: number): Promise<Received[]>;
  all(): Received[];
  counts(): ReceivedCounts;
  /** Forgets the requests to a hook, or all, also in the counts. */
  clear(hook?: string): void;
}

/** An empty ledger that keeps the newest `keep.entries` requests. */
export function receivedLedger(keep: { entries: number }): ReceivedLedger {
  let entries: Received[] = [];
  let seq = 0;
  let received = 0;
  let verified = 0;
  const waiting = new Set<(got: Received) => void>();

  const find = (filter: ReceivedFilter): Received[] => {
    const { limit = 1000 } = filter;
    const found: Received[] = [];
    for (const entry of filter.newest ? entries.toReversed() : entries) {
      if (found.length >= limit) break;
      if (matches(entry, filter)) found.push(entry);
    }
    return found;
  };

  return {
    add(got) {
      const entry = { seq: ++seq, ...got };
      entries.push(entry);
      received++;
      if (got.verified) verified++;
      // Removing single elements from the front is expensive, so the array is cut when it is a quarter too long.
      if (entries.length > keep.entries * 1.25 + 16) entries = entries.slice(-keep.entries);
      for (const notify of waiting) notify(entry);
      return entry;
    },
    find,
    wait(filter, waitMs) {
      const found = find(filter);
      if (found.length > 0 || waitMs <= 0) return Promise.resolve(found);
      return new Promise((resolve) => {
        const stop = (got: Received[]) => {
          clearTimeout(timer);
          waiting.delete(notify);
          resolve(got);
        };
        const notify = (got: Received) => {
          if (matches(got, filter)) stop([got]);
        };
        const timer = setTimeout(stop, waitMs, []);
        timer.unref();
        waiting.add(notify);
      });
    },
    all: () => entries,
    counts: () => ({ received, verified, kept: entries.length }),
    clear(hook) {
      const gone = hook === undefined ? entries : entries.filter((entry) => entry.hook === hook);
      entries = hook === undefined ? [] : entries.filter((entry) => entry.hook !== hook);
      received = hook === undefined ? 0 : received - gone.length;
      verified = hook === undefined ? 0 : verified - gone.filter((entry) => entry.verified).length;
    },
  };
}

function matches(entry: Received, filter: ReceivedFilter): boolean {
  if (entry.seq <= (filter.since ?? 0)) return false;
  if (filter.hook !== undefined && entry.hook !== filter.hook) return false;
  if (filter.verified !== undefined && entry.verified !== filter.verified) return false;
  if (filter.messageId === undefined && filter.kind === undefined && filter.status === undefined) return true;
  // Excludes most entries before any body is parsed.
  if (filter.messageId !== undefined && !entry.body.includes(filter.messageId)) return false;
  const body = parsed(entry.body);
  return (
    (filter.kind === undefined || body?.event === filter.kind) &&
    (filter.messageId === undefined || body?.data?.messageId === filter.messageId) &&
    (filter.status === undefined || body?.data?.status === filter.status)
  );
}

interface EventBody {
  event?: unknown;
  data?: { messageId?: unknown; status?: unknown };
}

function parsed(text: string): EventBody | null {
  try {
    return JSON.parse(text) as EventBody | null;
  } catch {
    return null;
  }
}
