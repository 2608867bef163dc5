// One call of `listen` to the local receiver, with the headers and signatures of a real delivery.
import { systemClock } from '../base/clock.ts';
import type { Outgoing } from '../base/outgoing/outgoing.ts';
import { attempt } from '../webhooks/delivery/attempt.ts';
import { signingKey } from '../webhooks/endpoints/sign.ts';

export interface ForwardResult {
  statusCode: number | null;
  durationMs: number;
  /** Why there was no complete response. */
  error: string | null;
}

export type Forward = (id: string, body: string) => Promise<ForwardResult>;

const timeoutMs = 15_000;

/** Posts to `url`, signed with `secret`. A failed call is a result; it is not repeated. */
export function openForward(url: URL, secret: string, outgoing: Outgoing): Forward {
  const key = signingKey(secret);
  const target = { id: 'listen', url, bodyKey: key, standardKeys: [key], secrets: [secret] };
  const deps = { clock: systemClock, webhookOutgoing: outgoing, webhookTimeoutMs: timeoutMs };
  return async (id, body) => {
    const result = await attempt(deps, target, id, body);
    if (!result) return { statusCode: null, durationMs: 0, error: 'stopped' };
    const detail = 'detail' in result ? result.detail : null;
    return {
      statusCode: result.status,
      durationMs: result.durationMs,
      error: result.status === null ? detail : null,
    };
  };
}
