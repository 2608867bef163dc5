// Client addresses: the key that requests are counted by, and whether an address is private.
import ipaddr from 'ipaddr.js';

/** Removes brackets, ports and zones that some proxies add: `[2001:db8::1]:443`, `192.0.2.1:443`, `fe80::1%eth0`. */
function withoutPort(text: string): string {
  const trimmed = text.trim().replace(/%.*$/, '');
  return /^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
}

/**
 * The key by which requests of an address are counted: an IPv4 address (also if mapped into IPv6), or the /64 network of an
 * IPv6 address, because a single customer has at least a /64. Other text is its own key, truncated.
 */
export function addressKey(text: string): string {
  const address = withoutPort(text);
  if (!ipaddr.isValid(address)) return address.slice(0, 64);
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

const privateRanges = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat']);

/** Whether the address belongs to this machine or a private network. */
export function isPrivateAddress(text: string): boolean {
  const address = withoutPort(text);
  return ipaddr.isValid(address) && privateRanges.has(ipaddr.process(address).range());
}
