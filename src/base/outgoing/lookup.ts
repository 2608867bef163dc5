// DNS look-ups that keep slow names from delaying all others.
import { lookup as dnsLookup } from 'node:dns';
import { openTurns } from './turns.ts';

export interface HostAddress {
  address: string;
  family: number;
}

export type Resolve = (hostname: string) => Promise<HostAddress[]>;

/** A longer look-up is slow. */
const slowMs = 1_000;
const slowNamesMax = 10_000;
const fastNamesMax = 10_000;
/** With the one look-up of a slow name, they leave one of the four threads to names that were fast. */
const newNamesMax = 2;

/** Returns all addresses of a name, in the resolver's order. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    dnsLookup(hostname, { all: true, order: 'verbatim' }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });

/** A connection waits no longer for its name. */
const abandonedMs = 10_000;

/** A look-up that waits or runs. */
interface Pending {
  answer: Promise<HostAddress[]>;
  /** When somebody asked last. */
  askedAt: number;
}

/** Nobody gets it: callers that still wait have asked again. */
const abandoned = () =>
  Object.assign(new Error('too many other names are being looked up'), { code: 'EAI_AGAIN' });

/**
 * Limits look-ups: Node runs them in four threads, shared with files and cryptography, and cannot cancel them. Concurrent
 * look-ups of one name share a result. Names whose last look-up was slow are looked up one after another, and two names at a
 * time that were not looked up yet: an account can invent any number of slow ones. Domains take turns, and a name whose callers
 * have given up is not looked up. Results are not cached.
 */
export function limitLookups(resolve: Resolve, options: { slowMs?: number } = {}): Resolve {
  const pending = new Map<string, Pending>();
  const slow = new Set<string>();
  const fast = new Set<string>();
  const newInTurn = openTurns(newNamesMax);
  const slowInTurn = openTurns(1);

  async function timed(hostname: string): Promise<HostAddress[]> {
    const startedAt = performance.now();
    try {
      return await resolve(hostname);
    } finally {
      const isFast = performance.now() - startedAt <= (options.slowMs ?? slowMs);
      slow.delete(hostname);
      fast.delete(hostname);
      if (isFast) {
        fast.add(hostname);
        // the names that were not looked up for the longest time become new ones
        if (fast.size > fastNamesMax) fast.delete(fast.values().next().value ?? '');
      } else if (slow.size < slowNamesMax) slow.add(hostname);
    }
  }

  async function timedIfWanted(hostname: string): Promise<HostAddress[]> {
    const waitedMs = performance.now() - (pending.get(hostname)?.askedAt ?? Number.POSITIVE_INFINITY);
    if (waitedMs > abandonedMs) throw abandoned();
    return timed(hostname);
  }

  function lookUp(hostname: string): Promise<HostAddress[]> {
    if (fast.has(hostname)) return timed(hostname);
    const inTurn = slow.has(hostname) ? slowInTurn : newInTurn;
    return inTurn(hostname, () => timedIfWanted(hostname));
  }

  return (hostname) => {
    const askedAt = performance.now();
    const shared = pending.get(hostname);
    if (shared) {
      shared.askedAt = askedAt;
      return shared.answer;
    }
    const answer = lookUp(hostname).finally(() => pending.delete(hostname));
    pending.set(hostname, { answer, askedAt });
    return answer;
  };
}
