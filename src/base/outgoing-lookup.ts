// DNS look-ups that keep slow names from delaying all others.
import { lookup as dnsLookup } from 'node:dns';

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

/**
 * Limits look-ups: Node runs them in four threads, shared with files and cryptography, and cannot cancel them. Concurrent
 * look-ups of one name share a result. Names whose last look-up was slow are looked up one after another, and two names at a
 * time that were not looked up yet: an account can invent any number of slow ones. Results are not cached.
 */
export function limitLookups(resolve: Resolve, options: { slowMs?: number } = {}): Resolve {
  const pending = new Map<string, Promise<HostAddress[]>>();
  const slow = new Set<string>();
  const fast = new Set<string>();
  const waiting: (() => void)[] = [];
  let newOnes = 0;
  let slowOnes: Promise<unknown> = Promise.resolve();

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

  async function inTurn(hostname: string): Promise<HostAddress[]> {
    if (newOnes === newNamesMax) await new Promise<void>((begin) => waiting.push(begin));
    else newOnes += 1;
    try {
      return await timed(hostname);
    } finally {
      // the next one takes the place
      const next = waiting.shift();
      if (next) next();
      else newOnes -= 1;
    }
  }

  function queued(hostname: string): Promise<HostAddress[]> {
    const answer = slowOnes.then(() => timed(hostname));
    slowOnes = answer.catch(() => undefined);
    return answer;
  }

  return (hostname) => {
    const shared = pending.get(hostname);
    if (shared) return shared;
    const lookUp = fast.has(hostname) ? timed : slow.has(hostname) ? queued : inTurn;
    const answer = lookUp(hostname).finally(() => pending.delete(hostname));
    pending.set(hostname, answer);
    return answer;
  };
}
