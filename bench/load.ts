// The load generator: calls the send operation with a fixed number of concurrent sends or at a fixed rate.
// Bare undici, not the client: the ceiling, which the result is compared with, makes the same bare requests.
import { Pool } from 'undici';
import { nowMs, serveParent } from './child.ts';

export interface LoadInput {
  url: string;
  apiKey: string;
  templateId: string;
  senderIds: string[];
  recipientsPerSend: number;
  /** Number of sends, or duration. */
  sends?: number;
  seconds?: number;
  /** Concurrent sends; with `perSecond`, the number of connections. */
  atOnce: number;
  /** Messages per second: sends begin on schedule, even if earlier ones are still open. */
  perSecond?: number;
  /** Do not wait for the platform (`Prefer: respond-async`). */
  respondAsync?: boolean;
  /** The first recipient's number. */
  firstPhone: number;
}

export interface LoadResult {
  sends: number;
  messages: number;
  accepted: number;
  queued: number;
  failed: number;
  rejected: number;
  firstRejection?: string;
  startedAtMs: number;
  endedAtMs: number;
  sendMs: number[];
}

interface SendResponse {
  success: boolean;
  message: string;
  data: { accepted: number; queued: number; failed: number };
}

function bodyOf(input: LoadInput, number: number): string {
  const { senderIds, templateId, recipientsPerSend } = input;
  const first = input.firstPhone + number * recipientsPerSend;
  const recipients = Array.from({ length: recipientsPerSend }, (_, index) => ({
    phone: String(first + index),
    name: 'Ada Lovelace',
    variables: { '1': 'Ada', '2': `A-${first + index}`, '3': 'on Friday' },
  }));
  return JSON.stringify({ templateId, senderId: senderIds[number % senderIds.length], recipients });
}

async function one(pool: Pool, input: LoadInput, number: number, result: LoadResult): Promise<void> {
  const began = nowMs();
  const { body } = await pool.request({
    method: 'POST',
    path: '/v1/templates/send',
    headers: {
      'content-type': 'application/json',
      'x-api-key': input.apiKey,
      ...(input.respondAsync ? { prefer: 'respond-async' } : {}),
    },
    body: bodyOf(input, number),
  });
  const response = (await body.json()) as SendResponse;
  result.sendMs.push(nowMs() - began);
  result.sends += 1;
  if (!response.success) {
    result.rejected += 1;
    result.firstRejection ??= response.message;
    return;
  }
  result.messages += input.recipientsPerSend;
  result.accepted += response.data.accepted;
  result.queued += response.data.queued;
  result.failed += response.data.failed;
}

async function run(input: LoadInput): Promise<LoadResult> {
  const pool = new Pool(input.url, {
    connections: input.atOnce,
    pipelining: 1,
    keepAliveTimeout: 60_000,
    headersTimeout: 120_000,
  });
  const result: LoadResult = {
    sends: 0,
    messages: 0,
    accepted: 0,
    queued: 0,
    failed: 0,
    rejected: 0,
    startedAtMs: nowMs(),
    endedAtMs: 0,
    sendMs: [],
  };
  const until = result.startedAtMs + (input.seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const sends = input.sends ?? Number.POSITIVE_INFINITY;
  let next = 0;
  if (input.perSecond === undefined) {
    const line = async () => {
      while (next < sends && nowMs() < until) await one(pool, input, next++, result);
    };
    await Promise.all(Array.from({ length: input.atOnce }, line));
  } else {
    const gapMs = (1000 * input.recipientsPerSend) / input.perSecond;
    const begun: Promise<void>[] = [];
    while (next < sends && nowMs() < until) {
      const waitMs = result.startedAtMs + next * gapMs - nowMs();
      if (waitMs > 0) await new Promise((go) => setTimeout(go, waitMs));
      begun.push(one(pool, input, next++, result));
    }
    await Promise.all(begun);
  }
  result.endedAtMs = nowMs();
  await pool.close();
  return result;
}

serveParent({ run });
