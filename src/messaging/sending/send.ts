// Sending a template to many recipients: check everything, store the send, dispatch it, wait for the results.
import { AppError, invalidRequest } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { Releases } from '../../work/releases.ts';
import { findCompletions } from '../dispatch/claims-store.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Completion, FindCompletions } from '../messages/completion-waiters.ts';
import type { LeasedTemplate } from '../messages/message.ts';
import { priorityOf } from '../template-content/fill.ts';
import { findFiles } from '../template-content/media-files.ts';
import { mediaIdsOf as namedFiles } from '../template-content/recipient-content.ts';
import type { TemplateRow } from '../templates/store.ts';
import { chooseDispatchModes, type DispatchModesDeps } from './dispatch-modes.ts';
import { type FailOptedOutDeps, failOptedOut } from './fail-opted-out.ts';
import { fillAll } from './fill-recipients.ts';
import type { InsertedSend, NewMessage } from './new-sends-store.ts';
import type { CheckQueue } from './queue-limit.ts';
import type { SendRequest } from './recipients.ts';
import { requireApproved, requireSender, resolveTemplate, sendablePlan } from './resolve-template.ts';
import type { ResolvedSender, ResolvedTemplate, TemplateAsked } from './resolve-template-store.ts';
import { type SendSteps, smallMax } from './send-steps.ts';
import {
  type AlsoWrite,
  answeredByOf,
  type CheckedSend,
  isAuthentication,
  type SendIdempotencyKey,
  type StoreDeps,
  storeScheduled,
  storeSend,
  throwMissing,
} from './store-send.ts';

export interface SendDeps extends FailOptedOutDeps, StoreDeps, Omit<DispatchModesDeps, 'dispatcher'> {
  dispatcher: Pick<
    Dispatcher,
    'offer' | 'capacity' | 'reserveCalls' | 'releaseCalls' | 'callReserved' | 'abandonReserved'
  >;
  sendSteps: SendSteps;
  /** Wakes the worker: messages are due now. */
  nudgeDispatch: () => void;
  checkQueue: CheckQueue;
  releases: Pick<Releases, 'release'>;
  /** Stores opt-outs of erased people again whose numbers are among these. */
  restoreErased: (accountId: string, phones: readonly string[]) => Promise<void>;
}

/** After a database failure, lets a repeat with the send's key continue as soon as the database responds. */
export function releaseIfUnavailable(deps: Pick<SendDeps, 'releases'>, error: unknown, sendId: string): void {
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
    releaseIfUnavailable(deps, error, subjectId);
    throw error;
  }
}

/** A stored send. */
export interface StartedSend {
  id: string;
  templateId: string;
  /** When it starts, if it waits for that. */
  sendAt: Date | null;
  /** In the order of the recipients. */
  messages: { id: string; phone: string; name: string | null }[];
  /** The messages that may complete soon: none if the sender is halted or the template held. */
  awaited: string[];
  /** The messages that failed when they were stored. */
  ended: ReadonlyMap<string, Completion>;
  /** The message whose acceptance answers the key; null if there is no key, or its response is stored. */
  answeredBy: string | null;
}

/** How far ahead a send may be scheduled. */
export const scheduledAheadMaxMs = 90 * 86_400_000;

/**
 * Reads what a send needs, stores it and its messages, with the caller's idempotency key if there is one, in a statement that it may
 * share with other requests, and dispatches what this process can call within about a second. Stores nothing unless every recipient is valid:
 * 404 for a missing object, 400 with every problem, 409 for a conflict, 429 `queue_full`. `also` runs first, in one transaction with it.
 */
export async function startSend(
  deps: SendDeps,
  request: SendRequest,
  key: SendIdempotencyKey | undefined,
  also?: AlsoWrite,
): Promise<StartedSend> {
  const checked = await checkSend(deps, request, key, deps.sendSteps);
  const sendAt = sendAtOf(deps, request, checked.template);
  if (!sendAt) {
    await deps.checkQueue(request.accountId, checked.messages.length);
    return (await storeAndDispatch(deps, checked, also)) ?? throwMissing(deps.hot, checked);
  }
  await storeScheduled(deps, checked, sendAt);
  const { id, template, messages } = checked;
  return { id, templateId: template.id, sendAt, messages, awaited: [], ended: new Map(), answeredBy: null };
}

/**
 * Starts a small send with the template, sender and files that an earlier one read, which are compared when it is stored. Undefined, and
 * nothing is stored, if they changed, another request has the key, or the send is refused: then call `startSend`.
 */
export async function startWithKnown(
  deps: SendDeps,
  request: SendRequest,
  key: SendIdempotencyKey | undefined,
): Promise<StartedSend | undefined> {
  if (request.sendAt !== undefined || request.recipients.length > smallMax) return undefined;
  let versions: ResolvedTemplate['versions'] | undefined;
  const known = {
    findFiles: deps.sendSteps.knownFiles,
    async findTemplate(asked: TemplateAsked) {
      const found = deps.sendSteps.knownTemplate(asked);
      versions = found?.versions;
      return found;
    },
  };
  let checked: CheckedSend;
  let takeBack: () => void;
  try {
    checked = await checkSend(deps, request, key, known);
    takeBack = await deps.checkQueue(request.accountId, checked.messages.length);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
  const started = await storeAndDispatch(deps, { ...checked, knownAs: versions });
  if (!started) takeBack();
  return started;
}

/** Checks a send with the template, sender and files that these find, and fills its messages. Throws as `startSend` does. */
async function checkSend(
  deps: SendDeps,
  request: SendRequest,
  key: SendIdempotencyKey | undefined,
  { findTemplate, findFiles: find }: Pick<SendSteps, 'findTemplate' | 'findFiles'>,
): Promise<CheckedSend> {
  const { accountId } = request;
  const mediaIds = mediaIdsOf(request);
  const [resolved, media] = await Promise.all([
    resolveTemplate(deps.hot, accountId, request, findTemplate),
    findFiles(deps.db, accountId, mediaIds, find),
  ]);
  const { template } = resolved;
  const plan = sendablePlan(template);
  const messages = await fillAll(deps, plan, request, media);
  requireApproved(template);
  const sender = requireSender(resolved);
  if (resolved.hasErased)
    await deps.restoreErased(
      accountId,
      messages.map(({ phone }) => phone),
    );
  return { id: uuidv7(deps.clock.now()), request, template, sender, messages, mediaIds, key };
}

/** Undefined, and nothing is stored, if the template or sender is not as the send knows it (`knownAs`). */
async function storeAndDispatch(
  deps: SendDeps,
  checked: CheckedSend,
  also?: AlsoWrite,
): Promise<StartedSend | undefined> {
  const { id: sendId, request, template, sender, messages } = checked;
  const files = sender.halted_at
    ? new Map()
    : await chooseDispatchModes(deps, messages, sender, priorityOf(template.category));
  const toCall = (lease: string | null) =>
    messages
      .filter(({ dispatchMode }) => dispatchMode !== 'queued')
      .map((message) => leasedMessage(message, { request, template, sender, lease }));
  const reserved = messages.filter(({ dispatchMode }) => dispatchMode === 'dispatching').length;
  const begunAtMs = deps.clock.steady();
  let stored: InsertedSend | undefined;
  try {
    stored = await storeSend(deps, checked, also);
  } catch (error) {
    deps.dispatcher.abandonReserved(toCall(null).slice(0, reserved));
    releaseIfUnavailable(deps, error, sendId);
    throw error;
  }
  if (!stored) {
    deps.dispatcher.releaseCalls(sender.id, reserved);
    return undefined;
  }
  const { isOpen, lease, dispatching, slots, firstInMs } = stored;
  const optedOut = new Set(stored.optedOut);
  const callable = isOpen ? toCall(lease).filter(({ id }) => !optedOut.has(id)) : [];
  const called = callable.filter(({ id }) => dispatching.has(id));
  deps.dispatcher.callReserved(called, { begunAtMs, firstInMs, files });
  deps.dispatcher.releaseCalls(sender.id, reserved - called.length, slots - called.length);
  deps.dispatcher.offer(callable.filter(({ id }) => !dispatching.has(id)));
  const ended = await failOptedOut(deps, request.accountId, optedOut);
  if (callable.length + ended.size < messages.length) deps.nudgeDispatch();
  const awaited = isOpen ? messages.map(({ id }) => id).filter((id) => !ended.has(id)) : [];
  const answeredBy = answeredByOf(checked);
  return { id: sendId, templateId: template.id, sendAt: null, messages, awaited, ended, answeredBy };
}

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

/** Waits until every message is complete, cannot complete in time, or the time is up. Returns the completions by message id. */
export async function awaitCompletions(
  deps: SendDeps,
  accountId: string,
  messageIds: string[],
): Promise<Map<string, Completion>> {
  const find: FindCompletions = (ids, leftMs) => findCompletions(deps.hot, accountId, ids, leftMs / 1000);
  return deps.completions.wait(messageIds, deps.sendWaitMs, find);
}

/** The public ids of the media files of the request, each once. */
function mediaIdsOf(request: SendRequest): string[] {
  return [...new Set([...namedFiles(request), ...request.recipients.flatMap(namedFiles)])];
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
