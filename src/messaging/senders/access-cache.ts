// Senders' addresses and tokens, cached for seconds: a call costs no look-up.
import { openCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { rounds } from '../../work/rounds.ts';
import { type AccessDeps, senderAccess } from './access.ts';
import { findSenderById } from './store.ts';

/** How long a changed token may still be used by another process. */
const lifetimeMs = 5_000;
const cachedMax = 10_000;

export interface AccessCache {
  /** What a call on behalf of a number needs; undefined if the number was removed. */
  accessOf(senderId: string): Promise<SenderAccess | undefined>;
  /** The same as it is now. */
  freshAccessOf(senderId: string): Promise<SenderAccess | undefined>;
}

/** Opens the memory of one process. */
export function openAccessCache(deps: AccessDeps & { db: Db; clock: Clock }): AccessCache {
  const cached = openCache<Promise<SenderAccess | undefined>>({
    max: cachedMax,
    lifetime: { ms: lifetimeMs, clock: deps.clock },
  });

  const reading = rounds<SenderAccess | undefined>();

  async function read(senderId: string): Promise<SenderAccess | undefined> {
    const row = await findSenderById(deps.db, senderId);
    return row && senderAccess(deps, row);
  }

  function freshAccessOf(senderId: string): Promise<SenderAccess | undefined> {
    // many calls refused at the same moment share one reading
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
