// The address of a client: what counts as one, and whether it is a private one.
import ipaddr from 'ipaddr.js';

/** An address without what some proxies add: `[2001:db8::1]:443`, `192.0.2.1:443`, `fe80::1%eth0`. */
function bare(text: string): string {
  const trimmed = text.trim().replace(/%.*$/, '');
  return /^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
}

/**
 * The name under which the requests of an address are counted: an IPv4 address (also one mapped into IPv6), or the /64
 * network of an IPv6 address, since a single customer has at least that many. Other text is its own name, cut short.
 */
export function addressKey(text: string): string {
  const address = bare(text);
  if (!ipaddr.isValid(address)) return address.slice(0, 64);
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

const privateRanges = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat']);

/** Whether a connection from this address comes from this machine or a private network. */
export function isPrivateAddress(text: string): boolean {
  const address = bare(text);
  return ipaddr.isValid(address) && privateRanges.has(ipaddr.process(address).range());
}
