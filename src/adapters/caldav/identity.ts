// The identity of a CalDAV calendar: its normalized address and the account that reaches it by that address. Pure.

/**
 * The same text for every way of writing one address: scheme, default port, user information, query, letter case of the
 * host, percent encoding and slashes at the end do not count. The account does, since some servers (Open-Xchange) show
 * every customer a different calendar at the same address. Migration 0008 makes the same text of what was stored before.
 */
export function identityOf(calendarUrl: string, accountEmail: string | null): string {
  const { host, pathname } = new URL(calendarUrl);
  const path = pathname.replace(/%[0-9a-f]{2}/gi, decoded).replace(/\/*$/, '/');
  return `${host.replace(/:(80|443)$/, '')}${path}#${accountEmail?.toLowerCase() ?? ''}`;
}

/** `%` and `/` mean something else once they are decoded (RFC 3986 section 2.4). */
function decoded(triplet: string): string {
  const code = Number.parseInt(triplet.slice(1), 16);
  const isPlain = code >= 0x21 && code <= 0x7e && code !== 0x25 && code !== 0x2f;
  return isPlain ? String.fromCharCode(code) : triplet.toUpperCase();
}
