// A DNS server on loopback with responses chosen by the test, and a resolver that uses only it.
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import type { HostAddress } from '../../src/base/outgoing/lookup.ts';

export interface DnsServer {
  /** Resolves a name's IPv4 addresses with this server, without a cache. */
  resolve(hostname: string): Promise<HostAddress[]>;
  /** Number of queries for a name. */
  questions(hostname: string): number;
  close(): Promise<void>;
}

const headerBytes = 12;

/** The name in a query (RFC 1035 section 4.1.2), and the end of the question. */
function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

/** A response with one A record per address and a TTL of 0 (RFC 1035 section 4.1). */
function answerTo(query: Buffer, end: number, addresses: string[]): Buffer {
  const header = Buffer.from(query.subarray(0, headerBytes));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([header, query.subarray(headerBytes, end), ...records]);
}

/** `answers` returns the addresses by name and number of earlier queries. */
export async function startDnsServer(
  answers: (name: string, before: number) => string[],
): Promise<DnsServer> {
  const counts = new Map<string, number>();
  const socket = createSocket('udp4', (query, peer) => {
    const { name, end } = questionOf(query);
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    socket.send(answerTo(query, end, answers(name, before)), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
  return {
    resolve: async (hostname) =>
      (await resolver.resolve4(hostname)).map((address) => ({ address, family: 4 })),
    questions: (hostname) => counts.get(hostname) ?? 0,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
