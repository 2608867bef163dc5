// Sending a template to many recipients: check everything, store the send, dispatch it, wait for the results.
import { AppError, invalidRequest } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Db, Tx } from '../../db/db.ts';
import { isUnavailable } from '../../db/failure.ts';
import { insertKey, type KeyOf } from '../../db/idempotency-keys.ts';
import { inProgress } from '../../http/idempotency.ts';
import type { Releases } from '../../work/releases.ts';
import { lockMediaShared } from '../media/store.ts';
import { priorityOf } from '../templates/fill.ts';
import { findFiles } from '../templates/media-files.ts';
import { mediaIdsOf as namedFiles } from '../templates/recipient-content.ts';
import type { TemplateRow } from '../templates/store.ts';
import type { Completion } from './completion-waiters.ts';
import { chooseDispatchModes } from './dispatch-modes.ts';
import type { Dispatcher } from './dispatcher.ts';
import { type FailOptedOutDeps, failOptedOut } from './fail-opted-out.ts';
import { fillAll } from './fill-recipients.ts';
import type { LeasedTemplate } from './message.ts';
import { findCompletions } from './messages-claims-store.ts';
import type { CheckQueue } from './queue-limit.ts';
import type { SendRequest } from './recipients.ts';
import { requireApproved, requireSender, resolveTemplate, sendablePlan } from './resolve-template.ts';
import { insertScheduledSend } from './scheduled-store.ts';
import {
  type InsertedSend,
  insertSend,
  type NewMessage,
  type NewSend,
  type ResolvedSender,
} from './sends-store.ts';

export interface SendDeps extends FailOptedOutDeps {
  db: Db;
  dispatcher: Pick<
    Dispatcher,
    'offer' | 'capacity' | 'reserveCalls' | 'releaseCalls' | 'callReserved' | 'abandonReserved'
  >;
  /** Wakes the worker: messages are due now. */
  nudgeDispatch: () => void;
  sendWaitMs: number;
  checkQueue: CheckQueue;
  releases: Pick<Releases, 'release'>;
  /** The process that leases; see `db/process-session.ts`. */
  processId: number;
}

/** After a database failure, lets a repeat with the send's key continue as soon as the database responds. */
export function releaseIfAway(deps: Pick<SendDeps, 'releases'>, error: unknown, sendId: string): void {
  if (isUnavailable(error)) deps.releases.release(sendId);
}

/** Runs a step of a send or reply whose key this request holds; after a database failure, a repeat may continue. */
export async function releasingKey<T>(
  deps: Pick<SendDeps, 'releases'>,
  subjectId: string,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    releaseIfAway(deps, error, subjectId);
    throw error;
  }
}

/** The lease of a key. A repeat gets 409 until it ends, and then continues the send: the first request must have died. */
export const keyLeaseSeconds = (deps: { sendWaitMs: number }): number =>
  Math.ceil(deps.sendWaitMs / 1000) + 40;

/** A stored send. */
export interface StartedSend {
  id: string;
  templateId: string;
  /** In the order of the recipients. */
  messages: { id: string; phone: string; name: string | null }[];
  /** The messages that may complete soon: none if the sender is halted or the template held. */
  awaited: string[];
  /** The messages that failed when they were stored. */
  ended: ReadonlyMap<string, Completion>;
}

/** Writes rows in the transaction of the send; an error rolls all back. */
type AlsoWrite = (tx: Tx, messages: NewMessage[]) => Promise<void>;

/** How far ahead a send may be scheduled. */
export const scheduledAheadMaxMs = 90 * 86_400_000;

const defaultExpirySeconds = { authentication: 600, other: 86_400 };

/**
 * Stores a send and its messages in one transaction, with the caller's idempotency key if there is one, and dispatches what
 * this process can call within about a second. Stores nothing unless every recipient is valid: 404 for a missing object,
 * 400 with every problem, 409 for a conflict, 429 `queue_full`. `also` runs first in the transaction.
 */
export async function startSend(
  deps: SendDeps,
  request: SendRequest,
  key: (KeyOf & { fingerprint: Buffer }) | undefined,
  also?: AlsoWrite,
): Promise<StartedSend> {
  const resolved = await resolveTemplate(deps.hot, request.accountId, request);
  const { template } = resolved;
  const plan = sendablePlan(template);
  const media = await findFiles(deps.db, request.accountId, mediaIdsOf(request));
  const messages = await fillAll(deps, plan, request, media);
  requireApproved(template);
  const sender = requireSender(resolved);
  const sendAt = sendAtOf(deps, request, template);
  if (sendAt) return schedule(deps, { request, template, sender, messages, key, sendAt });
  await deps.checkQueue(request.accountId, messages.length);
  const sendId = uuidv7(deps.clock.now());
  if (!sender.halted_at) await chooseDispatchModes(deps, messages, sender, priorityOf(template.category));
  const inMode = (mode: NewMessage['dispatchMode'], lease: string | null) =>
    messages
      .filter((message) => message.dispatchMode === mode)
      .map((message) => leasedMessage(message, { request, template, sender, lease }));
  const reserved = inMode('dispatching', null);
  const begunAtMs = deps.clock.steady();
  let stored: InsertedSend;
  try {
    stored = await store(deps, { sendId, request, template, sender, messages, key, also });
  } catch (error) {
    deps.dispatcher.abandonReserved(reserved);
    releaseIfAway(deps, error, sendId);
    throw error;
  }
  const { isOpen, lease } = stored;
  const optedOut = new Set(stored.optedOut);
  const callable = (mode: NewMessage['dispatchMode']) =>
    isOpen ? inMode(mode, lease).filter(({ id }) => !optedOut.has(id)) : [];
  const called = callable('dispatching');
  deps.dispatcher.callReserved(called, begunAtMs);
  deps.dispatcher.releaseCalls(sender.id, reserved.length - called.length);
  const leased = callable('leased');
  deps.dispatcher.offer(leased);
  const ended = await failOptedOut(deps, request.accountId, optedOut);
  if (called.length + leased.length + ended.size < messages.length) deps.nudgeDispatch();
  const awaited = isOpen ? messages.map(({ id }) => id).filter((id) => !ended.has(id)) : [];
  return { id: sendId, templateId: template.id, messages, awaited, ended };
}

/** True if the messages of the template are one-time codes. */
export const isAuthentication = ({ category }: TemplateRow) => category.toUpperCase() === 'AUTHENTICATION';

/** The time for which the send is scheduled; undefined: now. 400 if it is too far ahead, or for an authentication template. */
function sendAtOf(deps: SendDeps, request: SendRequest, template: TemplateRow): Date | undefined {
  if (request.sendAt === undefined) return undefined;
  const problem = (message: string) => invalidRequest([{ path: 'sendAt', message }]);
  if (isAuthentication(template)) throw problem('is not allowed for an authentication template');
  const sendAt = new Date(request.sendAt);
  const aheadMs = sendAt.getTime() - deps.clock.now();
  if (aheadMs > scheduledAheadMaxMs) throw problem('must be at most 90 days ahead');
  return aheadMs > 0 ? sendAt : undefined;
}

/** The time to live of the send's messages, in seconds. */
export const expirySecondsOf = (
  request: { expiresInSeconds?: number | undefined },
  template: TemplateRow,
): number =>
  request.expiresInSeconds ?? defaultExpirySeconds[isAuthentication(template) ? 'authentication' : 'other'];

interface CheckedSend {
  request: SendRequest;
  template: TemplateRow;
  sender: ResolvedSender;
  messages: NewMessage[];
  key: (KeyOf & { fingerprint: Buffer }) | undefined;
}

const newSendOf = (id: string, { request, template, sender, messages }: CheckedSend): NewSend => ({
  accountId: request.accountId,
  id,
  senderId: sender.id,
  templateId: template.id,
  templateName: template.name,
  language: template.language,
  total: messages.length,
  templateChangedAt: template.components_changed_at,
  name: request.name,
  listed: request.name !== undefined || request.sendAt !== undefined,
});

/** Stores a send for later, with its key: its recipients are kept apart from the queue. */
async function schedule(deps: SendDeps, send: CheckedSend & { sendAt: Date }): Promise<StartedSend> {
  const { request, template, messages, key, sendAt } = send;
  const id = uuidv7(deps.clock.now());
  const scheduled = { ...newSendOf(id, send), sendAt };
  const common = {
    priority: priorityOf(template.category),
    expiresInSeconds: expirySecondsOf(request, template),
  };
  await deps.hot.transaction().execute(async (tx) => {
    await lockMedia(tx, request.accountId, mediaIdsOf(request));
    if (key) await storeKey(tx, { ...key, subjectId: id, leaseSeconds: keyLeaseSeconds(deps) });
    if (!(await insertScheduledSend(tx, scheduled, messages, common)))
      await throwMissing(tx, request, template);
  });
  return { id, templateId: template.id, messages, awaited: [], ended: new Map() };
}

/** Waits until every message is complete, cannot complete in time, or the time is up. Returns the completions by message id. */
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

/** The public ids of the media files of the request, each once. */
function mediaIdsOf(request: SendRequest): string[] {
  return [...new Set([...namedFiles(request), ...request.recipients.flatMap(namedFiles)])];
}

async function store(
  deps: SendDeps,
  send: CheckedSend & { sendId: string; also: AlsoWrite | undefined },
): Promise<InsertedSend> {
  const { request, template, messages, key, also } = send;
  const expiresInSeconds = expirySecondsOf(request, template);
  const insert = (db: Db | Tx) =>
    insertSend(db, newSendOf(send.sendId, send), messages, {
      priority: priorityOf(template.category),
      expiresInSeconds,
      processId: deps.processId,
    });
  const mediaIds = mediaIdsOf(request);
  // a single statement needs no transaction, which would add three round trips
  const isAlone = mediaIds.length === 0 && key === undefined && also === undefined;
  if (isAlone) return (await insert(deps.hot)) ?? throwMissing(deps.hot, request, template);
  return deps.hot.transaction().execute(async (tx) => {
    await also?.(tx, messages);
    await lockMedia(tx, request.accountId, mediaIds);
    if (key) await storeKey(tx, { ...key, subjectId: send.sendId, leaseSeconds: keyLeaseSeconds(deps) });
    // thrown inside the transaction, so that no key is stored without its send
    return (await insert(tx)) ?? throwMissing(tx, request, template);
  });
}

/** Reports why nothing was stored: the template or sender was removed, or is being deleted, since it was resolved. */
async function throwMissing(db: Db | Tx, request: SendRequest, checked: TemplateRow): Promise<never> {
  const { template } = await resolveTemplate(db, request.accountId, request);
  requireApproved(template);
  if (template.components_changed_at?.getTime() !== checked.components_changed_at?.getTime())
    throw new AppError('conflict', 'The template changed in the meantime. Send again.');
  throw new AppError('sender_not_found', 'The sender was removed in the meantime. Send again.');
}

/** Locks media files against deletion until the transaction ends; 404 if one is gone. */
async function lockMedia(tx: Tx, accountId: string, mediaIds: string[]): Promise<void> {
  if (mediaIds.length === 0 || (await lockMediaShared(tx, accountId, mediaIds)).length === mediaIds.length)
    return;
  throw new AppError(
    'media_not_found',
    'A media file of this send was deleted in the meantime. Upload it again.',
  );
}

/** Stores the key; 409 if another request stored it in the meantime. */
async function storeKey(tx: Tx, key: Parameters<typeof insertKey>[1]): Promise<void> {
  if (!(await insertKey(tx, key))) throw inProgress();
}

function leasedMessage(
  message: NewMessage,
  of: { request: SendRequest; template: TemplateRow; sender: ResolvedSender; lease: string | null },
): LeasedTemplate {
  return {
    account_id: of.request.accountId,
    id: message.id,
    sender_id: of.sender.id,
    template_name: of.template.name,
    language: of.template.language,
    phone: message.phone,
    user_id: null,
    content: message.content,
    media_id: message.mediaId,
    priority: priorityOf(of.template.category),
    attempts: 0,
    lease: of.lease,
  };
}
