// The identity of a CalDAV calendar: its normalized address and its account. Pure.

/**
 * The same text for every spelling of an address: scheme, default port, user information, query, letter case of the host,
 * percent encoding and trailing slashes do not count. The account counts, because some servers (Open-Xchange) have a
 * different calendar for each account at the same address. Migration 0008 computes the same text.
 */
export function identityOf(calendarUrl: string, accountEmail: string | null): string {
  const { host, pathname } = new URL(calendarUrl);
  const path = pathname.replace(/%[0-9a-f]{2}/gi, decoded).replace(/\/*$/, '/');
  return `${host.replace(/:(80|443)$/, '')}${path}#${accountEmail?.toLowerCase() ?? ''}`;
}

/** Decodes a percent-encoded character, except `%` and `/`, whose meaning would change (RFC 3986 section 2.4). */
function decoded(triplet: string): string {
  const code = Number.parseInt(triplet.slice(1), 16);
  const isPlain = code >= 0x21 && code <= 0x7e && code !== 0x25 && code !== 0x2f;
  return isPlain ? String.fromCharCode(code) : triplet.toUpperCase();
}
