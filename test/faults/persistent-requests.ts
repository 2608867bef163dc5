// Requests to the API that are repeated until they have a response.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { CallerResponse } from './evidence.ts';
import type { Random } from './random.ts';

export interface PersistentRequests {
  /**
   * Repeats a request until it gets a 200 or 202, or a 409 that `isFinal` accepts. Resolves with that response and the time at
   * which it arrived, or with undefined after `close`.
   */
  until(request: PersistentRequest): Promise<(CallerResponse & { atMs: number }) | undefined>;
  /** Responses with a status that the API does not allow here, and requests without a response when it was closed. */
  unexpected: string[];
  unanswered: string[];
  close(): Promise<void>;
}

export interface PersistentRequest {
  method: 'POST' | 'PUT';
  path: string;
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
  /** The codes of a 409 that end the repetition. */
  finalCodes?: readonly string[];
}

const responseTimeoutMs = 30_000;
/** Statuses that an outage, a pace or another request may cause. */
const retryable = new Set([409, 429, 503, 507]);

/** Opens requests to any of the gateways. */
export function openPersistentRequests(urls: string[], apiKey: string, random: Random): PersistentRequests {
  const pools = urls.map(
    (url) => new Pool(url, { connections: 16, headersTimeout: responseTimeoutMs, connectTimeout: 2_000 }),
  );
  const unexpected: string[] = [];
  const unanswered: string[] = [];
  let isClosed = false;

  async function once(request: PersistentRequest): Promise<CallerResponse | undefined> {
    try {
      const response = await random.pick(pools).request({
        method: request.method,
        path: request.path,
        headers: {
          'x-api-key': apiKey,
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(request.key === undefined ? {} : { 'idempotency-key': request.key }),
          ...request.headers,
        },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        signal: AbortSignal.timeout(responseTimeoutMs),
      });
      return { status: response.statusCode, text: await response.body.text(), replayed: false };
    } catch {
      return undefined;
    }
  }

  const isFinal = ({ finalCodes = [] }: PersistentRequest, { status, text }: CallerResponse) =>
    status === 200 || status === 202 || (status === 409 && finalCodes.some((code) => text.includes(code)));

  return {
    unexpected,
    unanswered,
    async until(request) {
      while (!isClosed) {
        const response = await once(request);
        if (response && isFinal(request, response)) return { ...response, atMs: Date.now() };
        if (response && !retryable.has(response.status))
          unexpected.push(
            `${request.method} ${request.path}: ${response.status} ${response.text.slice(0, 300)}`,
          );
        await sleep(random.between(50, 400));
      }
      unanswered.push(`${request.method} ${request.path}`);
      return undefined;
    },
    async close() {
      isClosed = true;
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}
