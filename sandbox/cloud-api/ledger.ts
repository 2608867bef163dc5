// The ledger of accepted messages and their callbacks; bounded, so that it stays cheap with 100,000s of messages.
import type { StatusWord } from './magic.ts';

/** One status callback of a message. */
export interface Step {
  status: StatusWord;
  code?: number;
  /** When it is due, and the time that it reports, in milliseconds of the sandbox's clock. */
  dueAt: number;
  at: number;
  done: boolean;
  /** The HTTP status of each attempt; 0: no response. */
  answers: number[];
}

export interface Accepted {
  seq: number;
  wamid: string;
  phoneNumberId: string;
  wabaId: string;
  appId: string;
  /** The recipient's digits, normalized from `to`. */
  phone: string;
  waId: string;
  /** Undefined: a template. */
  type?: string;
  /** Of a person that the call named by it. */
  userId?: string;
  templateId: string;
  templateName: string;
  language: string;
  category: string;
  opaque: string | null;
  messageStatus: 'accepted' | 'held_for_quality_assessment';
  acceptedAt: number;
  /** The components sent, or the body of a message that is not a template; null if the message is not among the newest `ledgerDetail`. */
  components: unknown;
  /** Its callbacks; empty once all are finished and the message is not among the newest `ledgerDetail`. */
  steps: Step[];
  /** Number of callbacks that got a 200. */
  callbacksPosted: number;
}

export interface LedgerFilter {
  phone?: string;
  wamid?: string;
  opaque?: string;
  /** Only entries after this `seq`. */
  after?: number;
  limit?: number;
}

export interface Ledger {
  add(entry: Accepted): void;
  /** Marks a callback as finished, with the HTTP status of its last attempt (not 200: given up). */
  finishStep(seq: number, step: number, status: number): void;
  /** Entries with unfinished callbacks, oldest first. */
  unfinished(): Iterable<Accepted>;
  /** Every entry that must survive a restart: the remembered and the unfinished ones. */
  kept(): Iterable<Accepted>;
  find(filter: LedgerFilter): Accepted[];
  /** Up to `limit` of the newest. */
  newest(limit: number): Accepted[];
  counts(): LedgerCounts;
  clear(): void;
  nextSeq(): number;
}

/** How many entries are remembered, and how many of them with details. */
export interface LedgerLimits {
  ledgerEntries: number;
  ledgerDetail: number;
}

export interface LedgerCounts {
  /** Accepted since the start or the last clear. */
  accepted: number;
  kept: number;
  /** Kept entries whose opaque data was accepted before: messages sent twice. */
  repeatedOpaque: number;
  callbacksPosted: number;
  callbacksOpen: number;
}

/** An empty ledger. `limits` is read at each message, so that settings take effect immediately. */
export function createLedger(limits: LedgerLimits): Ledger {
  const open = new Map<number, Accepted>();
  const entries = entryList(limits, (entry) => slim(entry, open.has(entry.seq)));
  let seq = 0;
  let accepted = 0;
  let posted = 0;
  return {
    add(entry) {
      accepted++;
      seq = Math.max(seq, entry.seq);
      if (entry.steps.some((step) => !step.done)) open.set(entry.seq, entry);
      entries.add(entry);
    },
    finishStep(number, index, status) {
      const entry = open.get(number);
      const step = entry?.steps[index];
      if (!entry || !step || step.done) return;
      step.done = true;
      step.answers.push(status);
      if (status === 200) {
        posted++;
        entry.callbacksPosted++;
      }
      if (!entry.steps.every((s) => s.done)) return;
      open.delete(number);
      if (number <= entries.slimmedTo()) slim(entry, false);
    },
    unfinished: () => open.values(),
    *kept() {
      const all = entries.all();
      const oldest = all[0]?.seq ?? Number.POSITIVE_INFINITY;
      for (const entry of open.values()) if (entry.seq < oldest) yield entry;
      yield* all;
    },
    find: (filter) => findIn(entries.all(), filter),
    newest: (limit) => entries.all().slice(-limit),
    counts: () => ({
      accepted,
      kept: entries.all().length,
      repeatedOpaque: repeats(entries.all()),
      callbacksPosted: posted,
      callbacksOpen: [...open.values()].reduce((n, e) => n + e.steps.filter((s) => !s.done).length, 0),
    }),
    clear() {
      entries.clear();
      accepted = 0;
      posted = 0;
    },
    nextSeq: () => ++seq,
  };
}

function slim(entry: Accepted, isOpen: boolean): void {
  entry.components = null;
  if (!isOpen) entry.steps = [];
}

/** The newest entries. `drop` removes the details of an older entry, once. */
function entryList(limits: LedgerLimits, drop: (entry: Accepted) => void) {
  let entries: Accepted[] = [];
  // Removing from the front costs the array's length, so it is cut only when a quarter of it is unused.
  let first = 0;
  let lean = 0;
  let slimmedTo = 0;
  return {
    add(entry: Accepted) {
      entries.push(entry);
      first = Math.max(first, entries.length - limits.ledgerEntries);
      for (; lean < entries.length - limits.ledgerDetail; lean++) {
        const old = entries[lean] as Accepted;
        drop(old);
        slimmedTo = old.seq;
      }
      if (first < 10_000 || first < entries.length / 4) return;
      entries = entries.slice(first);
      lean = Math.max(0, lean - first);
      first = 0;
    },
    all: () => (first === 0 ? entries : entries.slice(first)),
    /** The newest `seq` without details. */
    slimmedTo: () => slimmedTo,
    clear() {
      entries = [];
      first = 0;
      lean = 0;
    },
  };
}

function findIn(entries: Accepted[], filter: LedgerFilter): Accepted[] {
  const { phone, wamid, opaque, after = 0, limit = 1000 } = filter;
  const found: Accepted[] = [];
  for (const entry of entries) {
    if (found.length >= limit) break;
    if (entry.seq <= after) continue;
    if (phone !== undefined && entry.phone !== phone) continue;
    if (wamid !== undefined && entry.wamid !== wamid) continue;
    if (opaque !== undefined && entry.opaque !== opaque) continue;
    found.push(entry);
  }
  return found;
}

function repeats(entries: Accepted[]): number {
  const seen = new Set<string>();
  let again = 0;
  for (const { opaque } of entries) {
    if (opaque === null) continue;
    if (seen.has(opaque)) again++;
    seen.add(opaque);
  }
  return again;
}
