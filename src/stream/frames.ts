// The text of the event stream (Server-Sent Events). Pure.
import type { FrameKinds } from '../changes/kinds.ts';

/** Keeps proxies from closing a quiet stream. */
export const comment = ': alive\n\n';
/** The last text of a stream: browsers connect again after a second. */
export const endOfStream = 'retry: 1000\n\n';

/** What changed. Its id is the time, from which a page that comes back continues. */
export const frameText = (at: Date, kinds: FrameKinds): string =>
  `id: ${at.toISOString()}\ndata: ${JSON.stringify(kinds)}\n\n`;

/** Everything has to be read again. */
export const reloadText = (at: Date): string => `id: ${at.toISOString()}\nevent: reload\ndata: {}\n\n`;

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * The time in `Last-Event-ID`; undefined without the header, and `unknown` if it is no time of the last `lookBackSeconds`, or
 * one of the future.
 */
export function lastEventTime(
  header: string | string[] | undefined,
  now: number,
  lookBackSeconds: number,
): Date | 'unknown' | undefined {
  if (header === undefined || header === '') return undefined;
  const at = timePattern.test(String(header)) ? Date.parse(String(header)) : Number.NaN;
  const isKnown = at >= now - lookBackSeconds * 1_000 && at <= now + lookBackSeconds * 1_000;
  return isKnown ? new Date(at) : 'unknown';
}
