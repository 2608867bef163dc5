// The address guard: no private address is reached, however it is written or resolved.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { failure } from '../harness/outgoing-failure.ts';

let server: Server;
let port = 0;
let reached = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    reached += 1;
    request.resume().on('end', () => response.writeHead(201).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('the address guard', () => {
  const names: Record<string, string[]> = {
    'inside.test': ['10.1.2.3'],
    'loop.test': ['127.0.0.1'],
    'mixed.test': ['93.184.216.34', '192.168.1.1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'nat64.test': ['64:ff9b::a00:1'],
    '6to4.test': ['2606:4700::1111', '2002:7f00:1::'],
    'cloud.test': ['169.254.169.254'],
    'wire.test': ['168.63.129.16'],
  };
  const resolve = async (hostname: string) => {
    const addresses = names[hostname];
    if (addresses === undefined) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const guarded = openOutgoing({
    connectionsPerOrigin: 4,
    keepAliveMs: 1_000,
    guard: { allowCidrs: [], httpsOnly: false, resolve },
  });
  afterAll(() => guarded.close());

  const bypasses = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f.1',
    '0x7F000001',
    '0177.0.0.1',
    '017700000001',
    '127.000.000.001',
    '0300.0250.1.1',
    '１２７.0.0.1',
    '127。0。0。1',
    '①②⑦.⓪.⓪.①',
    '0',
    '127.0.0.1.',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::]',
    '[2001:0:1::1]',
    '[::ffff:0:127.0.0.1]',
    '[2001:2::1]',
    '[2001:20::1]',
    '[2001:db8::1]',
    '[4000::1]',
    '[fc00::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[fe80::1]',
    '[febf::1]',
    '[5f00::1]',
    '[3fff::1]',
    '[100::1]',
    '169.254.169.254',
    '2852039166',
    '0xA9.0xFE.0xA9.0xFE',
    '169.254.43518',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '224.0.0.1',
    '255.255.255.255',
    'inside.test',
    'loop.test',
    'LOOP.test.',
    'mixed.test',
    'mapped.test',
    'nat64.test',
    '6to4.test',
    'cloud.test',
    'wire.test',
    'metadata.google.internal',
    'instance-data',
  ];

  it.each(bypasses)('blocks %s at registration and on connection', async (host) => {
    names['loop.test.'] = ['127.0.0.1'];
    const before = reached;
    const url = `http://${host}:${port}/echo`;
    expect(await failure(guarded.request({ method: 'POST', url, timeoutMs: 5_000 }))).toMatchObject({
      kind: 'blocked_address',
      sent: false,
    });
    expect(await failure(guarded.fetch(url))).toMatchObject({ kind: 'blocked_address', sent: false });
    expect(await guarded.checkTarget(new URL(url))).toEqual(expect.any(String));
    expect(reached).toBe(before);
  });

  it('checks a name at every connection, so a name that becomes private is blocked', async () => {
    names['turning.test'] = ['93.184.216.34'];
    expect(await guarded.checkTarget(new URL(`http://turning.test:${port}/`))).toBeUndefined();
    names['turning.test'] = ['127.0.0.1'];
    const url = `http://turning.test:${port}/echo`;
    expect(await failure(guarded.request({ method: 'GET', url, timeoutMs: 5_000 }))).toMatchObject({
      kind: 'blocked_address',
    });
  });

  it('checks the connected peer too, in case it differs from the resolved address', async () => {
    let asked = 0;
    const twoFaced = {
      family: 4,
      get address() {
        asked += 1;
        return asked === 1 ? '93.184.216.34' : '127.0.0.1';
      },
    };
    const fooled = openOutgoing({
      connectionsPerOrigin: 1,
      keepAliveMs: 1_000,
      guard: { allowCidrs: [], httpsOnly: false, resolve: async () => [twoFaced] },
    });
    const before = reached;
    const url = `http://two-faced.test:${port}/echo`;
    expect(await failure(fooled.request({ method: 'GET', url, timeoutMs: 5_000 }))).toMatchObject({
      kind: 'blocked_address',
      message: expect.stringContaining('127.0.0.1'),
    });
    expect(asked).toBeGreaterThan(1);
    expect(reached).toBe(before);
    await fooled.close();
  });

  it('allows the networks that the operator configured, and no others', async () => {
    const allowing = openOutgoing({
      connectionsPerOrigin: 4,
      keepAliveMs: 1_000,
      guard: { allowCidrs: ['127.0.0.0/8'], httpsOnly: false, resolve },
    });
    const url = `http://loop.test:${port}/echo`;
    expect(await allowing.request({ method: 'POST', url, body: 'in', timeoutMs: 5_000 })).toMatchObject({
      status: 201,
    });
    expect(await allowing.checkTarget(new URL('http://127.0.0.1/'))).toBeUndefined();
    expect(await allowing.checkTarget(new URL('http://10.0.0.1/'))).toContain('10.0.0.1');
    await allowing.close();
    expect(() =>
      openOutgoing({
        connectionsPerOrigin: 1,
        keepAliveMs: 1,
        guard: { allowCidrs: ['10.0.0.0'], httpsOnly: true },
      }),
    ).toThrow('10.0.0.0');
  });

  it('requires https if configured, and rejects other schemes and credentials in the URL', async () => {
    const strict = openOutgoing({
      connectionsPerOrigin: 1,
      keepAliveMs: 1_000,
      guard: { allowCidrs: ['127.0.0.0/8'], httpsOnly: true, resolve },
    });
    expect(await strict.checkTarget(new URL('http://127.0.0.1/'))).toContain('https://');
    expect(await strict.checkTarget(new URL('https://127.0.0.1/'))).toBeUndefined();
    expect(await strict.checkTarget(new URL('https://a:b@127.0.0.1/'))).toContain('password');
    const url = `http://127.0.0.1:${port}/echo`;
    expect(await failure(strict.request({ method: 'GET', url, timeoutMs: 5_000 }))).toMatchObject({
      kind: 'blocked_address',
    });
    expect(await guarded.checkTarget(new URL('ftp://93.184.216.34/'))).toContain('https://');
    await strict.close();
  });

  it('accepts public addresses, and names that do not resolve now, which each connection checks again', async () => {
    for (const host of ['93.184.216.34', '[2606:4700::1111]', 'unknown.test']) {
      expect(await guarded.checkTarget(new URL(`https://${host}/`))).toBeUndefined();
    }
  });
});
