// DNS rebinding: a real DNS server changes the addresses of names, and no private address is reached.
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outgoing, openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { type DnsServer, startDnsServer } from '../harness/dns-server.ts';
import { freePort } from '../harness/free-port.ts';
import { failure } from '../harness/outgoing-failure.ts';

/** The one allowed loopback address, which stands for public ones. */
const outside = '127.0.0.2';
const inside = '127.0.0.1';

const reached = { [outside]: 0, [inside]: 0 };
let servers: Server[];
let port = 0;
let dns: DnsServer;
let outgoing: Outgoing;

async function listen(address: typeof outside | typeof inside, at: number): Promise<Server> {
  const server = createServer((request, response) => {
    reached[address] += 1;
    request.resume().on('end', () => response.writeHead(200, { connection: 'close' }).end());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(at, address, resolve));
  return server;
}

beforeAll(async () => {
  port = await freePort();
  servers = [await listen(outside, port), await listen(inside, port)];
  dns = await startDnsServer((name, before) => {
    if (name === 'both.test') return [outside, inside];
    if (name === 'turns-once.test') return [before === 0 ? outside : inside];
    if (name === 'flips.test') return [before % 2 === 0 ? outside : inside];
    return [];
  });
  outgoing = openOutgoing({
    connectionsPerOrigin: null,
    keepAliveMs: 1_000,
    guard: { allowCidrs: [`${outside}/32`], httpsOnly: false, resolve: dns.resolve },
  });
});
afterAll(async () => {
  await outgoing.close();
  await dns.close();
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
});

const call = (name: string) =>
  outgoing.request({ method: 'POST', url: `http://${name}:${port}/`, body: '{}', timeoutMs: 5_000 });

describe('a name that rebinds', () => {
  it('between registration and the first call is blocked', async () => {
    expect(await outgoing.checkTarget(new URL(`http://turns-once.test:${port}/`))).toBeUndefined();
    expect(await failure(call('turns-once.test'))).toMatchObject({ kind: 'blocked_address', sent: false });
    expect(reached[inside]).toBe(0);
  });

  it('at every look-up is reached only at allowed addresses', async () => {
    for (let round = 0; round < 5; round++) {
      expect((await call('flips.test')).status).toBe(200);
      expect(await failure(call('flips.test'))).toMatchObject({
        kind: 'blocked_address',
        message: expect.stringContaining(inside),
      });
    }
    expect(dns.questions('flips.test'), 'no second question between the judgement and the connection').toBe(
      10,
    );
    expect(reached).toEqual({ [outside]: 5, [inside]: 0 });
  });

  it('during many concurrent calls never reaches a private address', async () => {
    const before = reached[outside];
    const done = await Promise.allSettled(Array.from({ length: 40 }, () => call('flips.test')));
    const taken = done.filter((one) => one.status === 'fulfilled').length;
    expect(taken).toBeGreaterThan(0);
    expect(reached).toEqual({ [outside]: before + taken, [inside]: 0 });
  });

  it('to a public and a private address is blocked', async () => {
    expect(await outgoing.checkTarget(new URL(`http://both.test:${port}/`))).toContain(inside);
    expect(await failure(call('both.test'))).toMatchObject({ kind: 'blocked_address' });
    expect(reached[inside]).toBe(0);
  });

  it('to no address fails with a DNS error', async () => {
    expect(await failure(call('empty.test'))).toMatchObject({ kind: 'dns' });
  });
});
