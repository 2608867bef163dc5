// The Redis connection by which processes share rate limits. Loaded only if it is configured.
import type { Cluster, Redis } from 'ioredis';
import type { Log } from './log.ts';
import { parseRedisAddress } from './redis-address.ts';

/** Maximum wait for a response. A frozen server keeps its connections open, so nothing else would end the wait. */
const answerWithinMs = 500;
/** Delay before the sentinels or the nodes of a cluster are asked again where the primary is. */
const searchAgainMs = 500;

const options = {
  lazyConnect: true,
  connectTimeout: 500,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  socketTimeout: answerWithinMs,
};

/**
 * Connects to Redis; undefined without an address. While Redis is unreachable, every command fails immediately. If it stops
 * responding, the connection is closed after half a second, and all commands fail. A new primary is found by itself.
 */
export async function openRedis(address: string | null, log: Log): Promise<Redis | Cluster | undefined> {
  if (address === null) return undefined;
  const redis = await connectTo(address);
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

async function connectTo(address: string): Promise<Redis | Cluster> {
  const ioredis = await import('ioredis');
  const where = parseRedisAddress(address);
  if (where.kind === 'server') return new ioredis.Redis(where.url, options);
  const tls = where.tls ? { tls: {} } : {};
  if (where.kind === 'sentinel') {
    const { sentinels, name, login, db, sentinelPassword } = where;
    return new ioredis.Redis({
      ...{ ...options, ...login, ...tls, sentinels, name, db },
      ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
      sentinelCommandTimeout: answerWithinMs,
      sentinelRetryStrategy: () => searchAgainMs,
    });
  }
  const { lazyConnect, enableOfflineQueue, ...ofNodes } = options;
  return new ioredis.Cluster(where.nodes, {
    ...{ lazyConnect, enableOfflineQueue },
    redisOptions: { ...ofNodes, ...where.login, ...tls },
    clusterRetryStrategy: () => searchAgainMs,
    // a request does not wait until the cluster has a new primary
    maxRedirections: 2,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: 2 * answerWithinMs,
  });
}
