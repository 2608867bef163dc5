// The rate of a key over several gateways: one count in Redis; without Redis each counts for itself, and nobody is turned away for it.
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
    gateway = await startGateway({ settings: { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '10' } });
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

  it('is not held while Redis is gone, at once and without an error, and held again when it is back', async () => {
    await redis.stop();
    const began = performance.now();
    for (let count = 0; count < 15; count += 1) expect((await ask(gateway.url)).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(10_000);
    await redis.start();
    await expect.poll(async () => (await ask(gateway.url)).status, { timeout: 15_000 }).toBe(429);
  });
}
