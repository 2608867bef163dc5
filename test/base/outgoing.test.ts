// Promises of the way out: time-outs, caps, no redirects, honest `sent`, and no private address ever reached.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOutgoing } from '../../src/base/outgoing.ts';
import type { OutgoingError } from '../../src/base/outgoing-error.ts';

let server: Server;
let port = 0;
let reached = 0;
const waiting: ServerResponse[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  reached += 1;
  switch (request.url) {
    case '/echo':
      response.writeHead(201, { 'x-method': request.method }).end(await buffer(request));
      return;
    case '/redirect':
      response.writeHead(302, { location: '/echo' }).end();
      return;
    case '/big':
      response.end('x'.repeat(200_000));
      return;
    case '/never':
      waiting.push(response);
      return;
    case '/half':
      response.writeHead(200).write('half');
      waiting.push(response);
      return;
    case '/break':
      request.socket.destroy();
      return;
    default:
      response.writeHead(404).end('none');
  }
}

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const failure = async (promise: Promise<unknown>): Promise<OutgoingError> =>
  promise.then(
    () => expect.fail('the call should have failed'),
    (error) => error as OutgoingError,
  );

describe('a call', () => {
  const outgoing = openOutgoing({ connectionsPerOrigin: 4, keepAliveMs: 1_000 });
  afterAll(() => outgoing.close());
  const call = (path: string, more: object = {}) =>
    outgoing.request({ method: 'GET', url: `http://127.0.0.1:${port}${path}`, timeoutMs: 5_000, ...more });

  it('carries text, bytes and streams, and brings back status, headers and body', async () => {
    for (const body of ['hello', Buffer.from('hello'), Readable.from(['hel', 'lo'])]) {
      const response = await call('/echo', { method: 'POST', body });
      expect(response).toMatchObject({ status: 201, truncated: false });
      expect(response.body.toString()).toBe('hello');
      expect(response.headers['x-method']).toBe('POST');
    }
  });

  it('never follows a redirect', async () => {
    expect(await call('/redirect')).toMatchObject({ status: 302, headers: { location: '/echo' } });
    const response = await outgoing.fetch(`http://127.0.0.1:${port}/redirect`, { redirect: 'follow' });
    expect(response.status).toBe(302);
  });

  it('cuts an answer that is too long and says so', async () => {
    const response = await call('/big', { maxResponseBytes: 1_000 });
    expect(response).toMatchObject({ status: 200, truncated: true });
    expect(response.body.length).toBe(1_000);
  });

  it('gives up when the whole call takes too long, and tells whether an answer had begun', async () => {
    expect(await failure(call('/never', { timeoutMs: 50 }))).toMatchObject({
      kind: 'timeout',
      sent: true,
      status: undefined,
    });
    expect(await failure(call('/half', { timeoutMs: 200 }))).toMatchObject({
      kind: 'timeout',
      sent: true,
      status: 200,
    });
  });

  it('says that nothing was sent when the call only waited for a free connection', async () => {
    const narrow = openOutgoing({ connectionsPerOrigin: 1, keepAliveMs: 1_000 });
    const url = `http://127.0.0.1:${port}/never`;
    const before = reached;
    const first = failure(narrow.request({ method: 'POST', url, timeoutMs: 400 }));
    const second = failure(narrow.request({ method: 'POST', url, timeoutMs: 100 }));
    expect(await second).toMatchObject({ kind: 'timeout', sent: false });
    expect(await first).toMatchObject({ kind: 'timeout', sent: true });
    await narrow.close();
    expect(reached - before).toBe(1);
  });

  it('tells refused, broken, unresolvable and given-up calls apart', async () => {
    const closed = createTcpServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const freePort = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));
    const other = (url: string) => outgoing.request({ method: 'POST', url, timeoutMs: 5_000 });
    expect(await failure(other(`http://127.0.0.1:${freePort}/`))).toMatchObject({
      kind: 'refused',
      sent: false,
    });
    expect(await failure(other('http://no-such-host.invalid/'))).toMatchObject({ kind: 'dns', sent: false });
    expect(await failure(other(`https://127.0.0.1:${port}/`))).toMatchObject({ kind: 'tls', sent: false });
    expect(await failure(call('/break', { method: 'POST', body: 'x' }))).toMatchObject({
      kind: 'reset',
      sent: true,
    });
    const controller = new AbortController();
    const given = failure(call('/never', { signal: controller.signal }));
    controller.abort();
    expect(await given).toMatchObject({ kind: 'aborted' });
  });

  it('streams an answer, and fails the stream past its limit or its time', async () => {
    const url = `http://127.0.0.1:${port}`;
    const stream = (path: string, more: object) =>
      outgoing.stream({ method: 'GET', url: `${url}${path}`, timeoutMs: 5_000, ...more });
    expect((await text((await stream('/big', {})).body)).length).toBe(200_000);
    expect(await failure(text((await stream('/big', { maxResponseBytes: 1_000 })).body))).toMatchObject({
      kind: 'too_large',
    });
    expect(await failure(text((await stream('/half', { timeoutMs: 200 })).body))).toMatchObject({
      kind: 'timeout',
    });
    const early = await stream('/half', {});
    early.body.destroy();
    expect(early.body.destroyed).toBe(true);
  });

  it('gives vendors a fetch with the same errors and a cap', async () => {
    const small = openOutgoing({
      connectionsPerOrigin: 2,
      keepAliveMs: 1_000,
      fetchTimeoutMs: 100,
      fetchMaxResponseBytes: 1_000,
    });
    const echoed = await small.fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', body: 'hi' });
    expect(await echoed.text()).toBe('hi');
    expect(await failure(small.fetch(`http://127.0.0.1:${port}/never`))).toMatchObject({ kind: 'timeout' });
    const big = await small.fetch(`http://127.0.0.1:${port}/big`);
    await expect(big.text()).rejects.toThrow();
    await small.close();
  });
});

describe('the address guard', () => {
  const names: Record<string, string[]> = {
    'inside.test': ['10.1.2.3'],
    'loop.test': ['127.0.0.1'],
    'mixed.test': ['93.184.216.34', '192.168.1.1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'nat64.test': ['64:ff9b::a00:1'],
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
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '①②⑦.⓪.⓪.①',
    '0',
    '127.0.0.1.',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001:0:1::1]',
    '[::ffff:0:127.0.0.1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[febf::1]',
    '[5f00::1]',
    '[3fff::1]',
    '[100::1]',
    '169.254.169.254',
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
    'metadata.google.internal',
    'instance-data',
  ];

  it.each(bypasses)('reaches nothing at %s, and refuses it at registration', async (host) => {
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

  it('judges a name anew at every connection, so that a name that turns private is refused', async () => {
    names['turning.test'] = ['93.184.216.34'];
    expect(await guarded.checkTarget(new URL(`http://turning.test:${port}/`))).toBeUndefined();
    names['turning.test'] = ['127.0.0.1'];
    const url = `http://turning.test:${port}/echo`;
    expect(await failure(guarded.request({ method: 'GET', url, timeoutMs: 5_000 }))).toMatchObject({
      kind: 'blocked_address',
    });
  });

  it('looks at the connected peer too, should the name and the socket disagree', async () => {
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

  it('lets pass what the operator allows, and only that', async () => {
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

  it('insists on https where told to, refuses other schemes and credentials in the URL', async () => {
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

  it('takes public addresses, and a name that does not resolve now (each connection judges it again)', async () => {
    for (const host of ['93.184.216.34', '[2606:4700::1111]', 'unknown.test']) {
      expect(await guarded.checkTarget(new URL(`https://${host}/`))).toBeUndefined();
    }
  });
});
