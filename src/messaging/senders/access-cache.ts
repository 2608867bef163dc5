// Senders' addresses and credentials, cached for seconds, so that calls need no query.
import { openCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { coalesced } from '../../work/coalesce.ts';
import { type AccessDeps, senderAccess } from './access.ts';
import { findSenderById } from './store.ts';

/** How long another process may still use a replaced credential. */
const lifetimeMs = 5_000;
const cachedMax = 10_000;

export interface AccessCache {
  /** What a call on behalf of a sender needs, at most 5 seconds old; undefined if the sender was removed. */
  accessOf(senderId: string): Promise<SenderAccess | undefined>;
  /** The same, read now. */
  freshAccessOf(senderId: string): Promise<SenderAccess | undefined>;
}

/** Opens the cache of one process. */
export function openAccessCache(deps: AccessDeps & { db: Db; clock: Clock }): AccessCache {
  const cached = openCache<Promise<SenderAccess | undefined>>({
    max: cachedMax,
    lifetime: { ms: lifetimeMs, clock: deps.clock },
  });

  const reading = coalesced<SenderAccess | undefined>();

  async function read(senderId: string): Promise<SenderAccess | undefined> {
    const row = await findSenderById(deps.db, senderId);
    return row && senderAccess(deps, row);
  }

  function freshAccessOf(senderId: string): Promise<SenderAccess | undefined> {
    // concurrently rejected calls share one query
    const access = reading(senderId, () => read(senderId));
    cached.set(senderId, access);
    access.catch(() => cached.delete(senderId));
    return access;
  }

  return {
    freshAccessOf,
    accessOf: (senderId) => cached.get(senderId) ?? freshAccessOf(senderId),
  };
}
