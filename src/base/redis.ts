// The connection to Redis, by which several processes share the rate limit. Loaded only where it is used.
import type { Redis } from 'ioredis';
import type { Log } from './log.ts';

/** Undefined without an address. While it cannot be reached nothing waits for it: every call fails at once. */
export async function openRedis(url: string | null, log: Log): Promise<Redis | undefined> {
  if (url === null) return undefined;
  const { Redis } = await import('ioredis');
  const atOnce = {
    lazyConnect: true,
    connectTimeout: 500,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
  };
  const redis = new Redis(url, atOnce);
  let isTold = false;
  redis.on('ready', () => {
    isTold = false;
  });
  redis.on('error', (error: Error) => {
    if (!isTold) log.error({ err: error }, 'redis.unreachable');
    isTold = true;
  });
  await redis.connect().catch(() => undefined);
  return redis;
}
