// Senders' addresses and tokens, remembered for seconds, so that a call costs no look-up.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { rounds } from '../../work/rounds.ts';
import { type AccessDeps, senderAccess } from './access.ts';
import { findSenderById } from './store.ts';

/** How long a changed token may still be used by another process. */
const rememberMs = 5_000;
const rememberedMax = 10_000;

export interface AccessCache {
  /** What a call on behalf of a number needs; undefined if the number was removed. */
  accessOf(senderId: string): Promise<SenderAccess | undefined>;
  /** The same as it is now. */
  freshAccessOf(senderId: string): Promise<SenderAccess | undefined>;
}

/** Opens the memory of one process. */
export function openAccessCache(deps: AccessDeps & { db: Db; clock: Clock }): AccessCache {
  const remembered = new Map<string, { access: Promise<SenderAccess | undefined>; until: number }>();

  const reading = rounds<SenderAccess | undefined>();

  async function read(senderId: string): Promise<SenderAccess | undefined> {
    const row = await findSenderById(deps.db, senderId);
    return row && senderAccess(deps, row);
  }

  function freshAccessOf(senderId: string): Promise<SenderAccess | undefined> {
    // many calls refused at the same moment share one reading
    const access = reading(senderId, () => read(senderId));
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(senderId, { access, until: deps.clock.steady() + rememberMs });
    access.catch(() => remembered.delete(senderId));
    return access;
  }

  return {
    freshAccessOf,
    accessOf(senderId) {
      const known = remembered.get(senderId);
      return known && known.until > deps.clock.steady() ? known.access : freshAccessOf(senderId);
    },
  };
}
