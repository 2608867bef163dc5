// Outgoing HTTP with its calls measured: by the system that is called, the outcome and the time.
import type { ObserveCall } from '../metrics.ts';
import { OutgoingError } from './error.ts';
import { outcomeOf } from './outcome.ts';
import type { Outgoing } from './outgoing.ts';

/** The same, but each call is observed once: with the outcome of its response, or the kind of its `OutgoingError`. */
export function measureOutgoing(outgoing: Outgoing, observe: ObserveCall): Outgoing {
  async function measured<T extends { status: number }>(call: () => Promise<T>): Promise<T> {
    const beganMs = performance.now();
    let outcome = 'error';
    try {
      const response = await call();
      outcome = outcomeOf(response.status);
      return response;
    } catch (error) {
      if (error instanceof OutgoingError) outcome = error.kind;
      throw error;
    } finally {
      observe(outcome, performance.now() - beganMs);
    }
  }
  return {
    ...outgoing,
    request: (request) => measured(() => outgoing.request(request)),
    stream: (request) => measured(() => outgoing.stream(request)),
    fetch: (input, init) => measured(() => outgoing.fetch(input, init)),
  };
}
