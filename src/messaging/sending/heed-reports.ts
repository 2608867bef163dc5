// What reports of failure mean beyond their own message: the platform may refuse a whole number long after it took the calls.
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform, NumberReport } from '../../ports/platform.ts';
import { haltNumbers, isHalt } from '../senders/halt.ts';
import { wantReading } from '../senders/readings-store.ts';
import { findSenderById } from '../senders/store.ts';
import type { MovedMessage } from './store.ts';

export interface HeedDeps {
  hot: Db;
  log: Log;
  platform: Pick<MessagingPlatform, 'classify'>;
}

/** Classes by which a report says that what we know of a template is out of date. */
const ofTemplates = new Set(['halt_template', 'template_missing', 'template_outdated']);

/**
 * Halts the numbers of messages that failed for a reason of the number, its token or its business account (payment,
 * policy, spam limit), so that the rest of a campaign waits instead of failing one by one. A message taken before the
 * number's halt was last lifted says nothing about it now. After a failure by the template, its list is read again.
 */
export async function heedReports(deps: HeedDeps, moved: readonly MovedMessage[]): Promise<void> {
  const toRead = new Set<string>();
  for (const { sender_id, error, failed_at, accepted_at } of moved) {
    // 0 stands for a failure that came without a reason
    if (failed_at === null || error === null || error.code === 0) continue;
    const kind = deps.platform.classify(error);
    if (ofTemplates.has(kind)) toRead.add(sender_id);
    if (isHalt(kind))
      await haltNumbers(
        { db: deps.hot, log: deps.log },
        { senderId: sender_id, kind, error, takenAt: accepted_at },
      );
  }
  for (const senderId of toRead) {
    const sender = await findSenderById(deps.hot, senderId);
    if (!sender) continue;
    await wantReading(deps.hot, {
      accountId: sender.account_id,
      businessAccountId: sender.business_account_id,
    });
  }
}

/**
 * Halts numbers of which a callback reported an error as a whole, if its code asks for that; `senderIds` are ours with
 * that number. A number that was changed since the platform's time of the report is left alone. Every such error is logged.
 */
export async function heedNumberReports(
  deps: HeedDeps,
  reports: readonly (NumberReport & { senderIds: string[] })[],
): Promise<void> {
  for (const { senderIds, phoneNumberId, timestamp, error } of reports) {
    deps.log.warn({ phoneNumberId, error }, 'sender.problem_reported');
    const kind = deps.platform.classify(error);
    if (error.code === 0 || !isHalt(kind)) continue;
    const takenAt = timestamp === null ? null : new Date(timestamp * 1000);
    for (const senderId of senderIds)
      await haltNumbers({ db: deps.hot, log: deps.log }, { senderId, kind, error, takenAt });
  }
}
