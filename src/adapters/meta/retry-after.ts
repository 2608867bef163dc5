// The wait that a response of the platform or a proxy requests.
import type { OutgoingResponse } from '../../base/outgoing/outgoing.ts';
import { longestWaitSeconds, retryAfterSecondsOf } from '../../base/retry-after.ts';
import { isObject, objectsOf } from './json.ts';

/**
 * Returns the seconds to wait, at most a day: from `Retry-After`; else, for a code with a minimum wait (`leastSeconds`),
 * from the usage header, or that minimum.
 */
export function retryAfterOf(
  response: Pick<OutgoingResponse, 'headers'>,
  leastSeconds?: number,
): { retryAfterSeconds?: number } {
  const retryAfterSeconds = retryAfterSecondsOf(response.headers['retry-after']);
  if (retryAfterSeconds !== undefined) return { retryAfterSeconds };
  if (leastSeconds === undefined) return {};
  const regained = 60 * regainMinutes(response);
  return { retryAfterSeconds: Math.min(regained > 0 ? regained : leastSeconds, longestWaitSeconds) };
}

/** `X-Business-Use-Case-Usage: {"<id>": [{"estimated_time_to_regain_access": 3, …}]}`: the longest one. */
function regainMinutes(response: Pick<OutgoingResponse, 'headers'>): number {
  try {
    const usage = JSON.parse(String(response.headers['x-business-use-case-usage']));
    const entries = isObject(usage) ? Object.values(usage).flatMap(objectsOf) : [];
    return Math.max(0, ...entries.map((one) => Number(one.estimated_time_to_regain_access) || 0));
  } catch {
    return 0;
  }
}
