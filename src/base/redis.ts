// The Redis connection by which processes share rate limits. Loaded only if it is configured.
import type { Redis } from 'ioredis';
import type { Log } from './log.ts';

/** Maximum wait for a response. A frozen server keeps its connections open, so nothing else would end the wait. */
const answerWithinMs = 500;

/**
 * Connects to Redis; undefined without a URL. While Redis is unreachable, every command fails immediately. If it stops
 * responding, the connection is closed after half a second, and all commands fail.
 */
export async function openRedis(url: string | null, log: Log): Promise<Redis | undefined> {
  if (url === null) return undefined;
  const { Redis } = await import('ioredis');
  const options = {
    lazyConnect: true,
    connectTimeout: 500,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    socketTimeout: answerWithinMs,
  };
  const redis = new Redis(url, options);
  let isLogged = false;
  redis.on('ready', () => {
    isLogged = false;
  });
  redis.on('error', (error: Error) => {
    if (!isLogged) log.error({ err: error }, 'redis.unreachable');
    isLogged = true;
  });
  await redis.connect().catch(() => undefined);
  return redis;
}
