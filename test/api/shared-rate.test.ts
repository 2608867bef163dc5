// Rate limits across gateways: one count in Redis; without Redis each gateway counts separately and rejects nobody for it.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import { hasRedis, openRedisServer } from '../harness/redis-server.ts';

if (hasRedis()) describe('the rate of a key', shared);
else
  test('Redis NOT TESTED: redis-server is not installed here', () => expect(shared).toBeTypeOf('function'));

function shared(): void {
  let redis: Awaited<ReturnType<typeof openRedisServer>>;
  let gateway: Gateway;
  let other: string;
  beforeAll(async () => {
    redis = await openRedisServer();
    await redis.start();
    gateway = await startGateway({
      settings: {
        REDIS_URL: redis.url,
        RATE_LIMIT_PER_MINUTE: '10',
        ACCOUNT_RATE_LIMIT_PER_MINUTE: '15',
        TRUSTED_PROXIES: '127.0.0.1',
      },
    });
    other = await gateway.another();
  });
  afterAll(async () => {
    await gateway?.close();
    await redis?.close();
  });
  const ask = (url: string, key = gateway.apiKey) =>
    fetch(`${url}/v1/templates`, { headers: { 'X-API-Key': key } });

  it('is counted once for all gateways', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1)
      statuses.push((await ask(count % 2 === 0 ? gateway.url : other)).status);
    expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
    const refused = await ask(other);
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(gateway.url, await gateway.otherAccount())).status).toBe(200);
  });

  it('and so is the rate of an account, shared by its keys', async () => {
    const key = await gateway.otherAccount();
    const made = await gateway.call<{ apiKey: string }>('POST', '/v1/keys', {
      key,
      body: { name: 'second', scopes: ['templates:read'] },
    });
    const statuses: number[] = [];
    for (let count = 0; count < 16; count += 1)
      statuses.push(
        (await ask(count % 2 === 0 ? gateway.url : other, count < 8 ? key : made.body.data.apiKey)).status,
      );
    expect(statuses).toEqual([...Array(14).fill(200), 429, 429]);
  });

  it('and so are the failures of an address', async () => {
    const fail = (url: string) =>
      fetch(`${url}/v1/templates`, { headers: { 'X-API-Key': 'wrong', 'X-Forwarded-For': '198.51.100.1' } });
    const answers = await Promise.all(
      Array.from({ length: 61 }, (_, index) => fail(index % 2 === 0 ? gateway.url : other)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(61).fill(401));
    expect(answers.filter(({ headers }) => headers.has('retry-after'))).toHaveLength(1);
  });

  it('is not enforced while Redis is down, without delay or error, and enforced again when it is back', async () => {
    await redis.stop();
    const began = performance.now();
    for (let count = 0; count < 15; count += 1) expect((await ask(gateway.url)).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(10_000);
    await redis.start();
    await expect.poll(async () => (await ask(gateway.url)).status).toBe(429);
  });

  it('is not enforced while Redis is frozen: only the first requests wait for half a second', async () => {
    const asked = () => ask(gateway.url).then(({ status }) => status);
    redis.freeze();
    try {
      const began = performance.now();
      expect(await Promise.all(Array.from({ length: 15 }, asked))).toEqual(Array(15).fill(200));
      const beganLater = performance.now();
      for (let count = 0; count < 15; count += 1) expect(await asked()).toBe(200);
      expect(beganLater - began).toBeLessThan(5_000);
      expect(performance.now() - beganLater).toBeLessThan(5_000);
    } finally {
      redis.thaw();
    }
    await expect.poll(asked).toBe(429);
  });
}
