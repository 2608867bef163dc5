// The address guard: which addresses a call may reach, checked as written, after DNS, and on the connected socket.
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { BlockedAddress } from './outgoing-error.ts';
import { type HostAddress, type Resolve, sparingly, systemResolve } from './outgoing-lookup.ts';

export interface GuardRules {
  /** Networks that the operator allows although they are not public (`127.0.0.0/8`, `fd00::/8`). */
  allowCidrs: string[];
  /** True: only `https:` URLs. */
  httpsOnly: boolean;
  /** All addresses of a host name; the system's resolver where absent. */
  resolve?: Resolve;
}

export interface AddressGuard {
  /** Why this URL may not be called, in words for its owner; undefined if nothing speaks against it. Never rejects. */
  checkTarget(url: URL): Promise<string | undefined>;
  /** undici's connector with every check in it. */
  connect: buildConnector.connector;
}

/** Names that clouds answer with credentials; their addresses are refused too, but a name may resolve anywhere. */
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
 * A cloud's inside behind an address that looks public: Azure's machines get their configuration from it
 * (learn.microsoft.com, "What is IP address 168.63.129.16?"). The other clouds' lie in ranges that are refused as such.
 */
const metadataAddresses = new Set(['168.63.129.16']);

/** How long the caller of a registration waits for DNS. */
const longestLookupMs = 3_000;

function ownAddresses(): Set<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(addresses.map(({ address }) => ipaddr.process(address).toString()));
}

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Reads `10.0.0.0/8`; throws with the text that is wrong, so that a start with a bad setting says so. */
function parseNetwork(text: string): Network {
  try {
    return ipaddr.parseCIDR(text);
  } catch {
    throw new Error(`"${text}" is not a network in CIDR form, such as 10.0.0.0/8 or fd00::/8.`);
  }
}

/**
 * Why an address may not be reached; undefined if it may. Only global unicast passes: `process` unwraps
 * `::ffff:10.0.0.1`; NAT64, 6to4 and Teredo carry an IPv4 address inside and are refused as such. IPv6 must lie in
 * 2000::/3 as well, since ipaddr.js takes the long deprecated `::7f00:1` (= `::127.0.0.1`) for unicast.
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
    if (metadataAddresses.has(parsed.toString()))
      return `${address} is the cloud's own, not a public address`;
    return own.has(parsed.toString()) ? `${address} is this machine itself` : undefined;
  };
}

const bare = (hostname: string): string =>
  (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname).toLowerCase().replace(/\.$/, '');

/** The guard for a set of rules. Throws if a CIDR is malformed. */
export function addressGuard(rules: GuardRules, connectTimeoutMs: number): AddressGuard {
  const refusal = addressRule(rules.allowCidrs);
  const resolve = rules.resolve ?? sparingly(systemResolve);

  const writtenRefusal = (protocol: string, hostname: string): string | undefined => {
    if (protocol !== 'https:' && (rules.httpsOnly || protocol !== 'http:')) {
      return rules.httpsOnly
        ? 'the URL must begin with https://'
        : 'the URL must begin with https:// or http://';
    }
    const host = bare(hostname);
    if (metadataNames.has(host)) return `${host} is a name of the cloud's metadata service`;
    return isIP(host) ? refusal(host) : undefined;
  };

  /** Every answer must be reachable: a name that answers a public and a private address is rejected as a whole. */
  const vetted = async (hostname: string): Promise<HostAddress[]> => {
    const addresses = await resolve(hostname);
    for (const { address } of addresses) {
      const why = refusal(address);
      if (why !== undefined) throw new BlockedAddress(`${hostname} resolves to ${address}, and ${why}`);
    }
    return addresses;
  };

  const lookup: LookupFunction = (hostname, options, done) => {
    // the same form of the name that a registration judged
    vetted(bare(hostname)).then(
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
      if (url.username !== '' || url.password !== '') return 'the URL must not hold a user name or password';
      const why = writtenRefusal(url.protocol, url.hostname);
      if (why !== undefined) return why;
      // A name that does not resolve now, or not soon, cannot be judged; every connection judges it again and fails closed.
      const judged = vetted(bare(url.hostname)).then(
        () => undefined,
        (error) => (error instanceof BlockedAddress ? error.message : undefined),
      );
      const timer = new AbortController();
      const tooLong = sleep(longestLookupMs, undefined, { signal: timer.signal }).catch(() => undefined);
      return Promise.race([judged, tooLong]).finally(() => timer.abort());
    },
    // undici asks `lookup` only for names: an address written in the URL reaches us here alone.
    connect(options, done) {
      const why = writtenRefusal(options.protocol, options.hostname);
      if (why !== undefined) return done(new BlockedAddress(why), null);
      connector(options, (...[error, socket]) => {
        if (error) return done(error, null);
        const peer = socket.remoteAddress;
        const refused = peer === undefined ? undefined : refusal(peer);
        if (peer !== undefined && refused === undefined) return done(null, socket);
        socket.destroy();
        // Without an address the connection is already gone again.
        const gone = Object.assign(new Error('the connection closed immediately'), { code: 'ECONNRESET' });
        done(refused === undefined ? gone : new BlockedAddress(refused), null);
      });
    },
  };
}
