// One try of one delivery: signed with the secrets valid now, posted, and judged.
import type { Clock } from '../../base/clock.ts';
import type { Outgoing } from '../../base/outgoing.ts';
import { OutgoingError } from '../../base/outgoing-error.ts';
import { retryAfterMs } from '../../work/backoff.ts';
import { givenSignature, standardSignature } from '../endpoints/sign.ts';
import type { Target } from '../endpoints/targets.ts';
import type { Outcome } from './delivery.ts';

export interface AttemptDeps {
  clock: Clock;
  webhookOutgoing: Pick<Outgoing, 'request'>;
  webhookTimeoutMs: number;
}

const mostAnswerBytes = 16 * 1024;
const keptAnswerCharacters = 2_000;

/** Posts `body` to the endpoint under the id that stays the same on every try. Never rejects. */
export async function attempt(deps: AttemptDeps, target: Target, id: string, body: string): Promise<Outcome> {
  const now = deps.clock.now();
  const timestamp = Math.floor(now / 1000);
  const startedAt = performance.now();
  try {
    const response = await deps.webhookOutgoing.request({
      method: 'POST',
      url: target.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'chatbot-gateway-webhooks',
        'x-webhook-signature': givenSignature(target.given, body),
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': standardSignature(target.standard, id, timestamp, body),
      },
      body,
      timeoutMs: deps.webhookTimeoutMs,
      maxResponseBytes: mostAnswerBytes,
    });
    const { status, durationMs } = response;
    if (isSuccess(status)) return { delivered: true, status, durationMs };
    return {
      delivered: false,
      status,
      reason: reasonOf(status),
      durationMs,
      answer: readable(response.body),
      retryAfterMs: retryAfterMs(response.headers['retry-after'], now) ?? 0,
    };
  } catch (error) {
    const durationMs = Math.round(performance.now() - startedAt);
    const failure = error instanceof OutgoingError ? error : undefined;
    // The status is what counts: an answer whose body then drags on or breaks was an answer all the same.
    if (failure?.status !== undefined && isSuccess(failure.status)) {
      return { delivered: true, status: failure.status, durationMs };
    }
    return {
      delivered: false,
      status: failure?.status ?? null,
      reason: failure?.status === undefined ? (failure?.kind ?? 'reset') : reasonOf(failure.status),
      durationMs,
      answer: failure?.kind === 'blocked_address' ? failure.message : null,
      retryAfterMs: 0,
    };
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function reasonOf(status: number): string {
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirect' : 'bad_status';
}

/** Text that PostgreSQL can hold: it refuses NUL. */
function readable(answer: Buffer): string | null {
  const text = answer.toString('utf8').replaceAll('\0', '').slice(0, keptAnswerCharacters);
  return text === '' ? null : text;
}
