// Sending a template to many recipients: check everything, write it down, have it called, answer each one's outcome.
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Db, Tx } from '../../db/db.ts';
import { isAway } from '../../db/failure.ts';
import { insertKey, type KeyOf } from '../../db/idempotency-keys.ts';
import { inProgress } from '../../http/idempotency.ts';
import type { Releases } from '../../work/releases.ts';
import { lockMediaShared, type ReadyMedia } from '../media/store.ts';
import { priorityOf } from '../templates/fill.ts';
import type { TemplateRow } from '../templates/store.ts';
import type { ResolvedSender } from './choice-store.ts';
import type { Completion, CompletionWaiters } from './completion-waiters.ts';
import type { Dispatcher } from './dispatcher.ts';
import { fillAll } from './fill-recipients.ts';
import { findCompletions } from './messages-claims-store.ts';
import type { DueMessage } from './messages-moves-store.ts';
import type { CheckQueue } from './queue-limit.ts';
import type { SendRequest } from './recipients.ts';
import { requireApproved, requireSender, resolveTemplate, sendablePlan } from './resolve-template.ts';
import { type InsertedSend, insertSend, type NewMessage } from './sends-store.ts';

export interface SendDeps {
  db: Db;
  hot: Db;
  clock: Clock;
  dispatcher: Pick<
    Dispatcher,
    'offer' | 'capacity' | 'reserveCalls' | 'releaseCalls' | 'callReserved' | 'abandonReserved'
  >;
  completions: CompletionWaiters;
  /** Tells the worker that messages are due now. */
  nudgeDispatch: () => void;
  sendWaitMs: number;
  checkQueue: CheckQueue;
  releases: Pick<Releases, 'release'>;
  /** The process that leases; see `db/process-session.ts`. */
  processId: number;
}

/** After a failure of the database, a repeat under the key of that send may continue as soon as the database answers. */
export function releaseIfAway(deps: Pick<SendDeps, 'releases'>, error: unknown, sendId: string): void {
  if (isAway(error)) deps.releases.release(sendId);
}

/** A repeat of the same key gets 409 for this long; then it goes on with the same send: its first worker must be dead. */
export const keyLeaseSeconds = (deps: { sendWaitMs: number }): number =>
  Math.ceil(deps.sendWaitMs / 1000) + 40;

/** A send that is on disk. */
export interface StartedSend {
  id: string;
  templateId: string;
  /** In the order of the recipients. */
  messages: { id: string; phone: string; name: string | null }[];
  /** The messages whose outcome may come soon: none of a halted number. */
  awaited: string[];
}

/** What is written with a send. */
type Also = (tx: Tx, messages: NewMessage[]) => Promise<void>;

const defaultExpirySeconds = { authentication: 600, other: 86_400 };

/**
 * Writes a send and its messages in one transaction, with the caller's key if there is one, and hands to this process
 * what it can call within about a second. Nothing is written unless every recipient is valid: 404 for what is named
 * and not there, 400 with every fault, 409 for what stands in the way, 429 `queue_full`. `also` runs first in the
 * transaction that writes: what it throws undoes all.
 */
export async function startSend(
  deps: SendDeps,
  request: SendRequest,
  key: (KeyOf & { fingerprint: Buffer }) | undefined,
  also?: Also,
): Promise<StartedSend> {
  const choice = await resolveTemplate(deps.hot, request.accountId, request);
  const { template } = choice;
  const plan = sendablePlan(template);
  const media = await mediaOf(deps.db, request);
  const messages = await fillAll(deps, plan, request, media);
  requireApproved(template);
  const sender = requireSender(choice);
  await deps.checkQueue(request.accountId, messages.length);
  const sendId = uuidv7(deps.clock.now());
  if (!sender.halted_at) await setStandings(deps, messages, sender, priorityOf(template.category));
  const standing = (wanted: NewMessage['dispatchMode'], lease: string | null) =>
    messages
      .filter((message) => message.dispatchMode === wanted)
      .map((message) => ({ ...dueMessage(message, request.accountId, template, sender), lease }));
  const marked = standing('dispatching', null);
  const markedAtMs = deps.clock.steady();
  let written: InsertedSend;
  try {
    written = await write(deps, { sendId, request, template, sender, messages, key, also });
  } catch (error) {
    deps.dispatcher.abandonReserved(marked);
    releaseIfAway(deps, error, sendId);
    throw error;
  }
  const { isOpen, lease } = written;
  if (isOpen) {
    const leased = marked.map((message) => ({ ...message, lease }));
    deps.dispatcher.callReserved(leased, markedAtMs);
  } else deps.dispatcher.releaseCalls(sender.id, marked.length);
  const leased = isOpen ? standing('leased', lease) : [];
  deps.dispatcher.offer(leased);
  if (!isOpen || marked.length + leased.length < messages.length) deps.nudgeDispatch();
  const awaited = isOpen ? messages.map((message) => message.id) : [];
  return { id: sendId, templateId: template.id, messages, awaited };
}

/** What this process calls at once, what it calls within about a second, and what it leaves to the queue. */
async function setStandings(
  { dispatcher }: SendDeps,
  messages: NewMessage[],
  sender: ResolvedSender,
  priority: number,
): Promise<void> {
  // a file has to be known to the platform first, which may take as long as an upload
  const mayHold = messages.every(({ mediaId }) => mediaId === null);
  const held = mayHold ? await dispatcher.reserveCalls(sender.id, messages.length) : 0;
  const room = held + dispatcher.capacity(sender.id, sender.messages_per_second, priority);
  messages.forEach((message, index) => {
    message.dispatchMode = index < held ? 'dispatching' : index < room ? 'leased' : 'queued';
  });
}

/**
 * Waits until every message has an outcome on disk or can have none while sends may wait; answers those that have, and
 * as `queued` some that have not.
 */
export async function awaitCompletions(
  deps: SendDeps,
  accountId: string,
  messageIds: string[],
  timeoutMs: number = deps.sendWaitMs,
): Promise<Map<string, Completion>> {
  return deps.completions.wait(messageIds, timeoutMs, (ids, leftMs) =>
    findCompletions(deps.hot, accountId, ids, leftMs / 1000),
  );
}

/** The files that the request names, by the id that callers know. */
async function mediaOf(db: Db, request: SendRequest): Promise<Map<string, ReadyMedia>> {
  const ids = mediaIdsOf(request);
  if (ids.length === 0) return new Map();
  const rows = await db.transaction().execute((tx) => lockMediaShared(tx, request.accountId, ids));
  return new Map(rows.map((row) => [row.public_id, row]));
}

function mediaIdsOf(request: SendRequest): string[] {
  const named = [request.mediaId, ...request.recipients.map((recipient) => recipient.mediaId)];
  return [...new Set(named.filter((id) => id !== undefined))];
}

async function write(
  deps: SendDeps,
  send: {
    sendId: string;
    request: SendRequest;
    template: TemplateRow;
    sender: ResolvedSender;
    messages: NewMessage[];
    key: (KeyOf & { fingerprint: Buffer }) | undefined;
    also: Also | undefined;
  },
): Promise<InsertedSend> {
  const { request, template, sender, messages, key, also } = send;
  const isAuthentication = template.category.toUpperCase() === 'AUTHENTICATION';
  const expiresInSeconds =
    request.expiresInSeconds ?? defaultExpirySeconds[isAuthentication ? 'authentication' : 'other'];
  const insert = (db: Db | Tx) =>
    insertSend(
      db,
      {
        accountId: request.accountId,
        id: send.sendId,
        senderId: sender.id,
        templateId: template.id,
        templateName: template.name,
        language: template.language,
        total: messages.length,
      },
      messages,
      { priority: priorityOf(template.category), expiresInSeconds, processId: deps.processId },
    );
  const mediaIds = mediaIdsOf(request);
  // alone, it needs no transaction around it and its three round trips
  const isAlone = mediaIds.length === 0 && key === undefined && also === undefined;
  if (isAlone) return (await insert(deps.hot)) ?? sayWhatIsGone(deps.hot, request);
  return deps.hot.transaction().execute(async (tx) => {
    await also?.(tx, messages);
    await hold(tx, request.accountId, mediaIds);
    if (key) await keep(tx, { ...key, subjectId: send.sendId, leaseSeconds: keyLeaseSeconds(deps) });
    // thrown in the transaction, so that no key is left for what was not written
    return (await insert(tx)) ?? sayWhatIsGone(tx, request);
  });
}

/** Nothing was written: the template or the number was there a moment ago, and is gone or being deleted. */
async function sayWhatIsGone(db: Db | Tx, request: SendRequest): Promise<never> {
  const choice = await resolveTemplate(db, request.accountId, request);
  requireApproved(choice.template);
  throw new AppError('sender_not_found', 'The sender was removed in the meantime. Send again.');
}

/** Keeps files from being deleted until the transaction ends, which makes messages need them; 404 if one is gone. */
async function hold(tx: Tx, accountId: string, mediaIds: string[]): Promise<void> {
  if (mediaIds.length === 0 || (await lockMediaShared(tx, accountId, mediaIds)).length === mediaIds.length)
    return;
  throw new AppError('media_not_found', 'A file of this send was deleted meanwhile. Upload it again.');
}

/** Writes the key; 409 if another request wrote it meanwhile. */
async function keep(tx: Tx, key: Parameters<typeof insertKey>[1]): Promise<void> {
  if (!(await insertKey(tx, key))) throw inProgress();
}

function dueMessage(
  message: NewMessage,
  accountId: string,
  template: TemplateRow,
  sender: ResolvedSender,
): DueMessage {
  return {
    account_id: accountId,
    id: message.id,
    sender_id: sender.id,
    template_name: template.name,
    language: template.language,
    phone: message.phone,
    content: message.content,
    media_id: message.mediaId,
    priority: priorityOf(template.category),
    attempts: 0,
    lease: null,
  };
}
