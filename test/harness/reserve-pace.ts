// Slots of one sender, reserved by the statement that senders share.
import type { Db } from '../../src/db/db.ts';
import { type ReservedSlots, reservePaces } from '../../src/messaging/dispatch/paces-store.ts';

/** Reserves up to `count` slots of one sender. */
export async function reservePace(
  db: Db,
  senderId: string,
  count: number,
  windowMs: number,
): Promise<ReservedSlots> {
  const [slots] = await reservePaces(db, [{ senderId, count }], windowMs);
  return slots as ReservedSlots;
}
