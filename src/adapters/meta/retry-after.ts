// The wait that a response of the platform or a proxy requests.
import type { OutgoingResponse } from '../../base/outgoing.ts';
import { isObject, objectsOf } from './json.ts';

const longestSeconds = 86_400;

/** `Retry-After` in its two forms (RFC 9110 section 10.2.3); NaN if there is none. */
function secondsOf(header: string | string[] | undefined): number {
  const text = String((Array.isArray(header) ? header[0] : header) ?? '').trim();
  if (text === '') return Number.NaN;
  const seconds = Number(text);
  return Number.isNaN(seconds) ? (Date.parse(text) - Date.now()) / 1000 : seconds;
}

/**
 * Returns the seconds to wait, at most a day: from `Retry-After`; else, for a code with a minimum wait (`leastSeconds`),
 * from the usage header, or that minimum.
 */
export function retryAfterOf(
  response: Pick<OutgoingResponse, 'headers'>,
  leastSeconds?: number,
): { retryAfterSeconds?: number } {
  const seconds = secondsOf(response.headers['retry-after']);
  if (seconds > 0) return { retryAfterSeconds: Math.min(seconds, longestSeconds) };
  if (leastSeconds === undefined) return {};
  const regained = 60 * regainMinutes(response);
  return { retryAfterSeconds: Math.min(regained > 0 ? regained : leastSeconds, longestSeconds) };
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
