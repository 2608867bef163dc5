// Rate limits shared by a Redis that fails over: sentinels with a new primary, and a cluster.
import { expect, test } from 'vitest';
import { startGateway } from '../harness/gateway.ts';
import { openCluster, openSentinel } from '../harness/redis-failover.ts';
import { hasRedis } from '../harness/redis-server.ts';

if (!hasRedis())
  test('Redis NOT TESTED: redis-server is not installed here', () => expect(hasRedis()).toBe(false));

async function openGateways(url: string) {
  const settings = { REDIS_URL: url, RATE_LIMIT_PER_MINUTE: '10', ACCOUNT_RATE_LIMIT_PER_MINUTE: '1000' };
  const gateway = await startGateway({ settings });
  const urls = [gateway.url, await gateway.another()];
  let turn = 0;
  /** Asks the gateways in turn. */
  const ask = async (key = gateway.apiKey) => {
    turn += 1;
    return (await fetch(`${urls[turn % 2]}/v1/templates`, { headers: { 'X-API-Key': key } })).status;
  };
  const statuses = async (count: number, key?: string) => {
    const seen: number[] = [];
    for (let index = 0; index < count; index += 1) seen.push(await ask(key));
    return seen;
  };
  return { gateway, ask, statuses };
}

const tenOfTwelve = [...Array(10).fill(200), 429, 429];

test.runIf(hasRedis())(
  'with sentinels, one count holds for all gateways, also after the primary died',
  async () => {
    const redis = await openSentinel();
    const { gateway, ask, statuses } = await openGateways(redis.url);
    try {
      expect(await statuses(12)).toEqual(tenOfTwelve);
      await redis.killPrimary();
      const began = performance.now();
      // not limited, and without errors or delay
      expect(await statuses(6)).toEqual(Array(6).fill(200));
      expect(performance.now() - began).toBeLessThan(5_000);
      await expect.poll(redis.hasFailedOver).toBe(true);
      // the replica knows the count
      await expect.poll(() => ask(), { interval: 100 }).toBe(429);
    } finally {
      await gateway.close();
      await redis.close();
    }
  },
);

test.runIf(hasRedis())('in a cluster, one count holds for all gateways', async () => {
  const redis = await openCluster();
  const { gateway, statuses } = await openGateways(redis.url);
  try {
    expect(await statuses(12)).toEqual(tenOfTwelve);
    // other keys, which other nodes have
    for (let key = 0; key < 4; key += 1)
      expect(await statuses(12, await gateway.otherAccount())).toEqual(tenOfTwelve);
  } finally {
    await gateway.close();
    await redis.close();
  }
});
