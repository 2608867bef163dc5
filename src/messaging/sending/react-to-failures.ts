// What reports of failure mean beyond their own message: the platform may refuse a whole number long after it took the calls.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform, NumberReport } from '../../ports/platform.ts';
import { forgetReportedRegistrations } from '../media/register.ts';
import { type HaltClass, haltNumbers, isHalt } from '../senders/halt.ts';
import { findSenderById } from '../senders/store.ts';
import { requestReading } from '../senders/template-readings-store.ts';
import type { MessageError } from './message.ts';
import type { MessageKey, MovedMessage } from './messages-moves-store.ts';

export interface ReactDeps {
  hot: Db;
  clock: Clock;
  log: Log;
  platform: Pick<MessagingPlatform, 'classify'>;
}

/** Classes by which a report says that what we know of a template is out of date. */
const ofTemplates = new Set(['halt_template', 'template_missing', 'template_outdated']);

/** Classes by which a report says that the platform may have lost a file. */
const ofMedia = new Set(['media_refused', 'media_unknown']);

interface Halt {
  senderId: string;
  kind: HaltClass;
  error: MessageError;
  takenAt: Date | null;
}

/**
 * Halts the numbers of messages that failed for a reason of the number, its token or its business account (payment,
 * policy, spam limit), so that the rest of a campaign waits instead of failing one by one. A message taken before the
 * number's halt was last lifted says nothing about it now. After a failure by the template, its list is read again;
 * after one by the file, the next message registers the file again. The work is that of the numbers, not of the messages.
 */
export async function reactToFailures(deps: ReactDeps, moved: readonly MovedMessage[]): Promise<void> {
  const halts = new Map<string, Halt>();
  const toRead = new Set<string>();
  const lostMedia: MessageKey[] = [];
  for (const { account_id, id, sender_id, error, failed_at, accepted_at } of moved) {
    // 0 stands for a failure that came without a reason
    if (failed_at === null || error === null || error.code === 0) continue;
    const kind = deps.platform.classify(error);
    if (ofTemplates.has(kind)) toRead.add(sender_id);
    if (ofMedia.has(kind)) lostMedia.push({ accountId: account_id, id });
    if (!isHalt(kind)) continue;
    const key = `${sender_id} ${kind}`;
    const halt = { senderId: sender_id, kind, error, takenAt: accepted_at };
    halts.set(key, later(halts.get(key) ?? halt, halt));
  }
  for (const halt of halts.values()) await haltNumbers({ db: deps.hot, log: deps.log }, halt);
  for (const senderId of toRead) {
    const sender = await findSenderById(deps.hot, senderId);
    if (!sender) continue;
    await requestReading(deps.hot, {
      accountId: sender.account_id,
      businessAccountId: sender.business_account_id,
    });
  }
  if (lostMedia.length > 0) await forgetReportedRegistrations({ db: deps.hot, clock: deps.clock }, lostMedia);
}

/** Of two reports with one consequence, the one whose message was taken later; one of unknown time counts as the latest. */
function later(one: Halt, other: Halt): Halt {
  if (one.takenAt === null || other.takenAt === null) return one.takenAt === null ? one : other;
  return other.takenAt > one.takenAt ? other : one;
}

/**
 * Halts numbers of which a callback reported an error as a whole, if its code asks for that; `senderIds` are ours with
 * that number. A number that was changed since the platform's time of the report is left alone. Every such error is logged.
 */
export async function reactToNumberErrors(
  deps: ReactDeps,
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
