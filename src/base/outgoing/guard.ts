// The address guard: checks which addresses a call may reach, in the URL, after DNS, and on the connected socket.
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { BlockedAddress } from './error.ts';
import { type HostAddress, limitLookups, type Resolve, systemResolve } from './lookup.ts';

export interface GuardRules {
  /** Non-public networks that the operator allows (`127.0.0.0/8`, `fd00::/8`). */
  allowCidrs: string[];
  /** True: only `https:` URLs. */
  httpsOnly: boolean;
  /** Returns all addresses of a host name; default: the system's resolver. */
  resolve?: Resolve;
}

export interface AddressGuard {
  /** Resolves with the reason why this URL may not be called, or undefined. Never rejects. */
  checkTarget(url: URL): Promise<string | undefined>;
  /** undici's connector with all checks. */
  connect: buildConnector.connector;
}

/** Host names of cloud metadata services, which return credentials. Their addresses are blocked too, but a name may resolve to any address. */
const metadataNames = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/**
 * Metadata services with public addresses: Azure machines get their configuration from this one (learn.microsoft.com, "What
 * is IP address 168.63.129.16?"). Those of other clouds are in blocked ranges.
 */
const metadataAddresses = new Set(['168.63.129.16']);

/** Maximum wait for DNS when an address is registered. */
const longestLookupMs = 3_000;

function ownAddresses(): Set<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(addresses.map(({ address }) => ipaddr.process(address).toString()));
}

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Parses `10.0.0.0/8`. Throws an error that quotes a malformed text. */
function parseNetwork(text: string): Network {
  try {
    return ipaddr.parseCIDR(text);
  } catch {
    throw new Error(`"${text}" is not a network in CIDR form, such as 10.0.0.0/8 or fd00::/8.`);
  }
}

/**
 * Returns a function that says why an address is blocked, or undefined. Only global unicast passes. `process` unwraps
 * `::ffff:10.0.0.1`. NAT64, 6to4 and Teredo contain an IPv4 address and are blocked. IPv6 must be in 2000::/3, because
 * ipaddr.js classifies the deprecated `::7f00:1` (= `::127.0.0.1`) as unicast.
 */
function addressRule(allowCidrs: string[]): (address: string) => string | undefined {
  const allowed = allowCidrs.map(parseNetwork);
  const own = ownAddresses();
  return (address) => {
    if (!ipaddr.isValid(address)) return `"${address}" is not an address`;
    const parsed = ipaddr.process(address);
    if (allowed.some((network) => parsed.kind() === network[0].kind() && parsed.match(network)))
      return undefined;
    const range = parsed.range();
    const outside = parsed instanceof ipaddr.IPv6 && ((parsed.parts[0] ?? 0) & 0xe000) !== 0x2000;
    if (range !== 'unicast' || outside) {
      return `${address} is not a public address (${range === 'unicast' ? 'reserved' : range})`;
    }
    if (metadataAddresses.has(parsed.toString())) return `${address} belongs to a cloud's metadata service`;
    return own.has(parsed.toString()) ? `${address} is this machine itself` : undefined;
  };
}

const normalizedHost = (hostname: string): string =>
  (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname).toLowerCase().replace(/\.$/, '');

/** Opens the guard for these rules. Throws if a CIDR is malformed. */
export function addressGuard(rules: GuardRules, connectTimeoutMs: number): AddressGuard {
  const addressProblem = addressRule(rules.allowCidrs);
  const resolve = rules.resolve ?? limitLookups(systemResolve);

  const urlProblem = (protocol: string, hostname: string): string | undefined => {
    if (protocol !== 'https:' && (rules.httpsOnly || protocol !== 'http:')) {
      return rules.httpsOnly
        ? 'the URL must start with https://'
        : 'the URL must start with https:// or http://';
    }
    const host = normalizedHost(hostname);
    if (metadataNames.has(host)) return `${host} is a name of the cloud's metadata service`;
    return isIP(host) ? addressProblem(host) : undefined;
  };

  /** All addresses must be allowed: a name with a public and a private address is rejected. */
  const resolveAllowed = async (hostname: string): Promise<HostAddress[]> => {
    const addresses = await resolve(hostname);
    for (const { address } of addresses) {
      const why = addressProblem(address);
      if (why !== undefined) throw new BlockedAddress(`${hostname} resolves to ${address}, and ${why}`);
    }
    return addresses;
  };

  const lookup: LookupFunction = (hostname, options, done) => {
    // normalized as in checkTarget
    resolveAllowed(normalizedHost(hostname)).then(
      (addresses) => {
        const first = addresses[0];
        if (first === undefined) {
          return done(Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' }), '', 0);
        }
        if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      },
      (error) => done(error, '', 0),
    );
  };

  const connector = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup });

  return {
    async checkTarget(url) {
      if (url.username !== '' || url.password !== '')
        return 'the URL must not contain a user name or password';
      const why = urlProblem(url.protocol, url.hostname);
      if (why !== undefined) return why;
      // a name that does not resolve in time passes here; every connection checks it again and fails closed
      const checked = resolveAllowed(normalizedHost(url.hostname)).then(
        () => undefined,
        (error) => (error instanceof BlockedAddress ? error.message : undefined),
      );
      const timer = new AbortController();
      const tooLong = sleep(longestLookupMs, undefined, { signal: timer.signal }).catch(() => undefined);
      return Promise.race([checked, tooLong]).finally(() => timer.abort());
    },
    // undici calls `lookup` only for names; an IP address in the URL is checked only here
    connect(options, done) {
      const why = urlProblem(options.protocol, options.hostname);
      if (why !== undefined) return done(new BlockedAddress(why), null);
      connector(options, (...[error, socket]) => {
        if (error) return done(error, null);
        const peer = socket.remoteAddress;
        const peerProblem = peer === undefined ? undefined : addressProblem(peer);
        if (peer !== undefined && peerProblem === undefined) return done(null, socket);
        socket.destroy();
        // a socket without a remote address is already closed
        const closedError = Object.assign(new Error('the connection closed immediately'), {
          code: 'ECONNRESET',
        });
        done(peerProblem === undefined ? closedError : new BlockedAddress(peerProblem), null);
      });
    },
  };
}
