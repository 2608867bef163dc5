// The Redis connection with which processes share rate limits. Loaded only where it is used.
import type { Redis } from 'ioredis';
import type { Log } from './log.ts';

/** How long commands may go without an answer. A frozen server keeps its connections open, so nothing else ends the wait. */
const answerWithinMs = 500;

/**
 * Undefined without an address. While Redis cannot be reached, every command fails immediately; when it stops answering,
 * the connection is closed after half a second: the commands on it fail, and later ones fail immediately.
 */
export async function openRedis(url: string | null, log: Log): Promise<Redis | undefined> {
  if (url === null) return undefined;
  const { Redis } = await import('ioredis');
  const atOnce = {
    lazyConnect: true,
    connectTimeout: 500,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    socketTimeout: answerWithinMs,
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
