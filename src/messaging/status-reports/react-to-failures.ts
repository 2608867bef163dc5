// Reactions to reported failures that concern more than their message, such as a rejected sender.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform, NumberReport } from '../../ports/platform.ts';
import { forgetReportedRegistrations, type RegisterDeps } from '../media/register.ts';
import { type MessageError, type MessageKey, messageKind } from '../messages/message.ts';
import type { MovedMessage, ReportedMove } from '../messages/moves-store.ts';
import type { PersonAct } from '../opt-outs/change.ts';
import { optOutByError } from '../opt-outs/opt-out.ts';
import { type HaltClass, haltOf, haltSenders, isHalt } from '../senders/halt.ts';
import type { SenderEventDeps } from '../senders/status-events.ts';
import { findSenderById } from '../senders/store.ts';
import { requestReading } from '../senders/template-readings-store.ts';
import { isThrottled, type Throttling, throttle } from '../senders/throttle.ts';
import { categoryWaitSeconds, limitCategory } from '../templates/limits-store.ts';
import { findTemplate } from '../templates/store.ts';

export interface ReactDeps extends SenderEventDeps, Pick<RegisterDeps, 'knownRegistrations'> {
  hot: Db;
  clock: Clock;
  log: Log;
  platform: Pick<MessagingPlatform, 'classify' | 'isTemporary'>;
}

/** Classes after which the gateway's copy of a template is out of date. */
const templateClasses = new Set(['halt_template', 'template_missing', 'template_outdated']);

/** Classes after which the platform may have lost a media file. */
const mediaClasses = new Set(['media_refused', 'media_unknown']);

/** The opt-outs of people to whom the platform did not deliver messages for that reason, at the time of its report. */
export function reportedOptOuts(
  { platform }: Pick<ReactDeps, 'platform'>,
  moved: readonly MovedMessage[],
): PersonAct[] {
  return moved.flatMap(({ account_id: accountId, phone, error, failed_at }) => {
    if (failed_at === null || error === null || phone === null) return [];
    if (platform.classify(error) !== 'opted_out') return [];
    return [{ accountId, person: { phone }, act: optOutByError(error.message, failed_at * 1000) }];
  });
}

/** An older report slows down nobody: the number sends at another rate by then. */
const throttledWithinSeconds = 60;
/** All messages that were accepted at the rejected rate are reported one by one, within seconds. */
const reportedTogether = { delaySeconds: 1, onceInSeconds: 10 };

/** What an error slows down that was reported for a time in epoch seconds; undefined: nothing. */
function throttlingOf(
  { clock, platform }: ReactDeps,
  { senderId, error, at }: { senderId: string; error: MessageError; at: number | null },
): Throttling | undefined {
  const kind = platform.classify(error);
  const isOld = at !== null && clock.now() / 1000 - at > throttledWithinSeconds;
  return isThrottled(kind) && !isOld ? { senderId, kind, code: error.code, ...reportedTogether } : undefined;
}

interface Halt {
  senderId: string;
  kind: HaltClass;
  error: MessageError;
  acceptedAt: Date | null;
}

/**
 * Halts the senders of messages that failed because of the sender, its token or its business account (payment, policy, spam
 * limit), so that the rest of a campaign waits instead of failing too. Ignores messages accepted before the sender was last
 * resumed. Also requests a reading of rejected templates and a new registration of rejected media files, slows down senders that
 * sent too fast, and lets the messages of a limited category wait.
 */
export async function reactToFailures(deps: ReactDeps, moved: readonly ReportedMove[]): Promise<void> {
  const halts = new Map<string, Halt>();
  const toRead = new Set<string>();
  const lostMedia: MessageKey[] = [];
  const throttled = new Map<string, Throttling>();
  /** When the limit of a template's category was reached last, in epoch seconds. */
  const limited = new Map<string, LimitedTemplate>();
  for (const message of moved) {
    const {
      account_id,
      id,
      kind: ofMessage,
      sender_id,
      template_id,
      error,
      failed_at,
      accepted_at,
    } = message;
    // code 0: the platform gave no reason
    if (failed_at === null || error === null || error.code === 0) continue;
    const kind = deps.platform.classify(error);
    if (kind === 'category_limit' && template_id !== null) {
      const at = Math.max(failed_at, limited.get(template_id)?.at ?? 0);
      limited.set(template_id, { accountId: account_id, templateId: template_id, at });
    }
    if (templateClasses.has(kind)) toRead.add(sender_id);
    const throttling = throttlingOf(deps, { senderId: sender_id, error, at: failed_at });
    if (throttling) throttled.set(sender_id, throttling);
    if (mediaClasses.has(kind)) lostMedia.push({ accountId: account_id, id });
    if (!isHalt(kind)) continue;
    const haltClass = haltOf(kind, ofMessage === messageKind.reply);
    const key = `${sender_id} ${haltClass}`;
    const halt = { senderId: sender_id, kind: haltClass, error, acceptedAt: accepted_at };
    halts.set(key, later(halts.get(key) ?? halt, halt));
  }
  for (const { acceptedAt: asOf, ...halt } of halts.values())
    await haltSenders({ ...deps, db: deps.hot }, { ...halt, asOf });
  for (const senderId of toRead) {
    const sender = await findSenderById(deps.hot, senderId);
    if (!sender) continue;
    await requestReading(deps.hot, {
      accountId: sender.account_id,
      businessAccountId: sender.business_account_id,
    });
  }
  for (const one of throttled.values()) await throttle(deps.hot, one);
  for (const one of limited.values()) await holdCategory(deps, one);
  if (lostMedia.length > 0) await forgetReportedRegistrations({ ...deps, db: deps.hot }, lostMedia);
}

interface LimitedTemplate {
  accountId: string;
  templateId: string;
  at: number;
}

/** Lets the messages of the template's category wait, as after a rejected call at that time: reports may be late by days. */
async function holdCategory({ hot, clock }: ReactDeps, { accountId, templateId, at }: LimitedTemplate) {
  const seconds = categoryWaitSeconds - Math.max(0, clock.now() / 1000 - at);
  const template = seconds > 0 ? await findTemplate(hot, accountId, templateId) : undefined;
  if (template?.business_account_id == null) return;
  const { business_account_id: businessAccountId, name, language } = template;
  await limitCategory(hot, { accountId, businessAccountId, name, language }, seconds);
}

/** Returns the halt whose message was accepted later; an unknown time counts as the latest. */
function later(one: Halt, other: Halt): Halt {
  if (one.acceptedAt === null || other.acceptedAt === null) return one.acceptedAt === null ? one : other;
  return other.acceptedAt > one.acceptedAt ? other : one;
}

/**
 * Halts the senders of a phone number for which a callback reported an error, if its class is a halt, or slows them down. Does not halt
 * senders that were changed after the report. Logs every such error.
 */
export async function reactToNumberErrors(
  deps: ReactDeps,
  reports: readonly (NumberReport & { senderIds: string[] })[],
): Promise<void> {
  for (const { senderIds, phoneNumberId, timestamp, error } of reports) {
    deps.log.warn({ phoneNumberId, error }, 'sender.problem_reported');
    const kind = deps.platform.classify(error);
    for (const senderId of senderIds) {
      const throttling = throttlingOf(deps, { senderId, error, at: timestamp });
      if (throttling) await throttle(deps.hot, throttling);
    }
    if (error.code === 0 || !isHalt(kind)) continue;
    const asOf = timestamp === null ? null : new Date(timestamp * 1000);
    for (const senderId of senderIds)
      await haltSenders({ ...deps, db: deps.hot }, { senderId, kind, error, asOf });
  }
}
