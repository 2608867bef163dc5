// The wait that a vendor or proxy requests by `Retry-After`.

/** The longest wait that is honored. */
export const longestWaitSeconds = 86_400;

/**
 * Seconds of a `Retry-After` header in its two forms (RFC 9110 section 10.2.3), at most a day; undefined if it is missing,
 * malformed or not in the future.
 */
export function retryAfterSecondsOf(header: string | string[] | undefined): number | undefined {
  const text = String((Array.isArray(header) ? header[0] : header) ?? '').trim();
  if (text === '') return undefined;
  const seconds = Number(text);
  const wait = Number.isNaN(seconds) ? (Date.parse(text) - Date.now()) / 1000 : seconds;
  return wait > 0 ? Math.min(wait, longestWaitSeconds) : undefined;
}
