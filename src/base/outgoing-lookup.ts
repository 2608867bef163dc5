// Asking the system for a name's addresses, so that names whose servers are slow cannot hold up the lookups of all others.
import { lookup as dnsLookup } from 'node:dns';

export interface HostAddress {
  address: string;
  family: number;
}

export type Resolve = (hostname: string) => Promise<HostAddress[]>;

/** A lookup that took longer than this is slow. */
const slowMs = 1_000;
const mostRemembered = 10_000;

/** All addresses of a name, in the resolver's order. */
export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    dnsLookup(hostname, { all: true, order: 'verbatim' }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });

/**
 * The same answers, asked for sparingly: Node looks names up in four threads, which files and cryptography need too, and
 * cannot give a lookup up. Questions for a name that is being asked for share its answer, and names whose last answer
 * was slow are asked for one after another. Nothing is remembered of an answer itself.
 */
export function sparingly(resolve: Resolve, options: { slowMs?: number } = {}): Resolve {
  const underWay = new Map<string, Promise<HostAddress[]>>();
  const slow = new Set<string>();
  let slowOnes: Promise<unknown> = Promise.resolve();

  async function timed(hostname: string): Promise<HostAddress[]> {
    const startedAt = performance.now();
    try {
      return await resolve(hostname);
    } finally {
      if (performance.now() - startedAt <= (options.slowMs ?? slowMs)) slow.delete(hostname);
      else if (slow.size < mostRemembered) slow.add(hostname);
    }
  }

  function inTurn(hostname: string): Promise<HostAddress[]> {
    const answer = slowOnes.then(() => timed(hostname));
    slowOnes = answer.catch(() => undefined);
    return answer;
  }

  return (hostname) => {
    const shared = underWay.get(hostname);
    if (shared) return shared;
    const answer = (slow.has(hostname) ? inTurn(hostname) : timed(hostname)).finally(() =>
      underWay.delete(hostname),
    );
    underWay.set(hostname, answer);
    return answer;
  };
}
