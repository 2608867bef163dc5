// The gateway's client, with the session's cookie instead of a key.
import { ChatbotGateway } from '../../../client/src/client.ts';

const reads = new Set<AbortController>();

/** Gives up every read that has no response yet. Each occupies one of the few connections that browsers open to a host. */
export function abortReads(): void {
  for (const controller of reads) controller.abort(new Error('given up'));
}

const abortableFetch: typeof fetch = async (url, init) => {
  if (init?.method !== 'GET' || !init.signal) return fetch(url, init);
  const controller = new AbortController();
  reads.add(controller);
  const signal = AbortSignal.any([init.signal, controller.signal]);
  return fetch(url, { ...init, signal }).finally(() => reads.delete(controller));
};

/** Every operation of the API. Repeats are decided by the queries, not here. */
export const api = new ChatbotGateway({
  baseUrl: '',
  headers: { 'X-Requested-With': 'chatbot-gateway' },
  retries: 0,
  timeoutMs: 30_000,
  fetch: abortableFetch,
});
