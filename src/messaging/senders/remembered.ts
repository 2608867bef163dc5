// Senders' addresses and tokens, remembered for seconds, so that a call costs no look-up.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { type AccessDeps, senderAccess } from './access.ts';
import { findSenderById } from './store.ts';

/** How long a changed token may still be used by another process. */
const rememberMs = 5_000;

/** A look-up of what a call on behalf of a number needs; undefined if the number was removed. */
export function openAccessOf(
  deps: AccessDeps & { db: Db; clock: Clock },
): (senderId: string) => Promise<SenderAccess | undefined> {
  const remembered = new Map<string, { access: Promise<SenderAccess | undefined>; until: number }>();

  async function read(senderId: string): Promise<SenderAccess | undefined> {
    const row = await findSenderById(deps.db, senderId);
    return row && senderAccess(deps, row);
  }

  return (senderId) => {
    const now = deps.clock.now();
    const known = remembered.get(senderId);
    if (known && known.until > now) return known.access;
    const access = read(senderId);
    remembered.set(senderId, { access, until: now + rememberMs });
    access.catch(() => remembered.delete(senderId));
    return access;
  };
}
