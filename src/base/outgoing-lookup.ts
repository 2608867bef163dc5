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

/** Returns all addresses of a name, in the resolver's order. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    dnsLookup(hostname, { all: true, order: 'verbatim' }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });

/**
 * Limits look-ups: Node runs them in four threads, shared with files and cryptography, and cannot cancel them. Concurrent
 * look-ups of one name share a result. Names whose last look-up was slow are looked up one after another. Results are not
 * cached.
 */
export function limitLookups(resolve: Resolve, options: { slowMs?: number } = {}): Resolve {
  const pending = new Map<string, Promise<HostAddress[]>>();
  const slow = new Set<string>();
  let slowOnes: Promise<unknown> = Promise.resolve();

  async function timed(hostname: string): Promise<HostAddress[]> {
    const startedAt = performance.now();
    try {
      return await resolve(hostname);
    } finally {
      if (performance.now() - startedAt <= (options.slowMs ?? slowMs)) slow.delete(hostname);
      else if (slow.size < slowNamesMax) slow.add(hostname);
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
    const answer = (slow.has(hostname) ? queued(hostname) : timed(hostname)).finally(() =>
      pending.delete(hostname),
    );
    pending.set(hostname, answer);
    return answer;
  };
}
