// The slowing of senders that sent too fast for the platform.
import type { Db } from '../../db/db.ts';
import type { RejectionClass } from '../../ports/platform.ts';
import { slowPace } from './paces-store.ts';
import { listBusinessSenders } from './store.ts';

/** The longest delay of a sender's next call; a longer limit of the platform delays it again. */
const slowedSecondsMax = 60;

export interface Throttling {
  senderId: string;
  kind: Extract<RejectionClass, `throttled${'' | '_account'}`>;
  /** The platform's. */
  code: number;
  /** Until the next call. */
  delaySeconds: number;
  /** A rate is halved once in this time; default: a second. */
  onceInSeconds?: number;
}

/** True if a rejection of this class slows down senders. */
export const isThrottled = (kind: RejectionClass): kind is Throttling['kind'] =>
  kind === 'throttled' || kind === 'throttled_account';

/** Slows down the sender, or all senders of its business account. */
export async function throttle(
  db: Db,
  { senderId, kind, code, delaySeconds, onceInSeconds }: Throttling,
): Promise<void> {
  const senderIds = kind === 'throttled_account' ? await listBusinessSenders(db, senderId) : [senderId];
  const seconds = Math.min(delaySeconds, slowedSecondsMax);
  for (const id of senderIds) await slowPace(db, id, seconds, code, onceInSeconds);
}
