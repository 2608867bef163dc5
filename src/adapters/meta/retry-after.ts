// How long an answer of the platform, or of a proxy before it, asks to wait.
import type { OutgoingResponse } from '../../base/outgoing.ts';
import { isObject, objectsOf } from './json.ts';

const longestSeconds = 86_400;

/** `Retry-After` in its two forms (RFC 9110 section 10.2.3); NaN where there is none. */
function secondsSaid(header: string | string[] | undefined): number {
  const text = String((Array.isArray(header) ? header[0] : header) ?? '').trim();
  if (text === '') return Number.NaN;
  const seconds = Number(text);
  return Number.isNaN(seconds) ? (Date.parse(text) - Date.now()) / 1000 : seconds;
}

/**
 * Seconds to wait, at most a day: as `Retry-After` says, or, for a code that asks for a wait of its own
 * (`leastSeconds`), the minutes until access is regained in the usage header, or that least wait.
 */
export function retryAfterOf(
  response: Pick<OutgoingResponse, 'headers'>,
  leastSeconds?: number,
): { retryAfterSeconds?: number } {
  const said = secondsSaid(response.headers['retry-after']);
  if (said > 0) return { retryAfterSeconds: Math.min(said, longestSeconds) };
  if (leastSeconds === undefined) return {};
  const regained = 60 * regainMinutes(response);
  return { retryAfterSeconds: Math.min(regained > 0 ? regained : leastSeconds, longestSeconds) };
}

/** `X-Business-Use-Case-Usage: {"<id>": [{"estimated_time_to_regain_access": 3, …}]}`: the longest of them. */
function regainMinutes(response: Pick<OutgoingResponse, 'headers'>): number {
  try {
    const usage = JSON.parse(String(response.headers['x-business-use-case-usage']));
    const entries = isObject(usage) ? Object.values(usage).flatMap(objectsOf) : [];
    return Math.max(0, ...entries.map((one) => Number(one.estimated_time_to_regain_access) || 0));
  } catch {
    return 0;
  }
}
