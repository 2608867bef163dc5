// One attempt of one delivery: signs it with the currently valid secrets, posts it, and classifies the response.
import type { Clock } from '../../base/clock.ts';
import { OutgoingError } from '../../base/outgoing/error.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import { retryAfterMs } from '../../work/backoff.ts';
import { deliveryHeaders } from '../endpoints/headers.ts';
import type { Target } from '../endpoints/targets.ts';
import type { AttemptResult } from './delivery.ts';
import { keptResponse } from './response.ts';

export interface AttemptDeps {
  clock: Clock;
  webhookOutgoing: Pick<Outgoing, 'request'>;
  webhookTimeoutMs: number;
}

/** Read up to here so that the connection can be reused; a longer response ends with its connection. */
const responseBytesMax = 16 * 1024;

/** Posts `body` under the `webhook-id` that all attempts share. Never rejects; undefined if the process stops and aborted the call. */
export async function attempt(
  deps: AttemptDeps,
  target: Target,
  id: string,
  body: string,
  traceparent?: string,
): Promise<AttemptResult | undefined> {
  const now = deps.clock.now();
  const timestampSeconds = Math.floor(now / 1000);
  const startedAt = performance.now();
  try {
    const response = await deps.webhookOutgoing.request({
      method: 'POST',
      url: target.url,
      headers: {
        ...deliveryHeaders(target, { id, timestampSeconds, body }),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
      body,
      timeoutMs: deps.webhookTimeoutMs,
      maxResponseBytes: responseBytesMax,
    });
    const { status, durationMs } = response;
    const answer = keptResponse(response.body, target.secrets);
    if (isSuccess(status)) return { delivered: true, status, durationMs, answer };
    return {
      delivered: false,
      status,
      reason: 'status',
      timestampSeconds,
      durationMs,
      answer,
      detail: null,
      retryAfterMs: retryAfterMs(response.headers['retry-after'], now) ?? 0,
    };
  } catch (error) {
    const failure = error instanceof OutgoingError ? error : undefined;
    return resultWithoutResponse(failure, timestampSeconds, Math.round(performance.now() - startedAt));
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The result of a call without a complete response. */
function resultWithoutResponse(
  failure: OutgoingError | undefined,
  timestampSeconds: number,
  durationMs: number,
): AttemptResult | undefined {
  if (failure?.kind === 'aborted') return undefined;
  const status = failure?.status ?? null;
  const noResponse = { durationMs, answer: null };
  // the status decides, even if the body then stalls or breaks
  if (status !== null && isSuccess(status)) return { delivered: true, status, ...noResponse };
  const detail = failure?.message ?? 'the call could not be made';
  const reason = status === null ? (failure?.kind ?? 'reset') : 'status';
  return { delivered: false, status, reason, timestampSeconds, ...noResponse, detail, retryAfterMs: 0 };
}
