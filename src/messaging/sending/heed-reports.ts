// What reports of failure mean beyond their own message: the platform may refuse a whole number long after it took the calls.
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform } from '../../ports/platform.ts';
import { haltSender } from '../senders/store.ts';
import type { MovedMessage } from './store.ts';

export interface HeedDeps {
  hot: Db;
  log: Log;
  platform: Pick<MessagingPlatform, 'classify'>;
}

/**
 * Halts the numbers of messages that failed for a reason of the number itself (payment, policy, spam limit), so that the
 * rest of a campaign waits instead of failing one by one. A message taken before the number's halt was last lifted says
 * nothing about it now.
 */
export async function heedReports(deps: HeedDeps, moved: readonly MovedMessage[]): Promise<void> {
  for (const { sender_id, error, failed_at, accepted_at } of moved) {
    // 0 stands for a failure that came without a reason
    if (failed_at === null || error === null || error.code === 0) continue;
    if (deps.platform.classify(error.code) !== 'halt_sender') continue;
    const reason = `The platform failed a message of this number (${error.code} ${error.title}): ${error.message}`;
    const isHalted = await haltSender(deps.hot, sender_id, reason, error, accepted_at);
    if (isHalted) deps.log.error({ senderId: sender_id, error }, 'sender.halted');
  }
}
