// Storing a checked send, now or for later, with its key and the locks that it needs.
import { currentCreator } from '../../audit/actor.ts';
import { AppError } from '../../base/errors.ts';
import type { Db, Tx } from '../../db/db.ts';
import { findKey, insertKey, type KeyLease, type RequestKey } from '../../db/idempotency-keys.ts';
import { inProgress } from '../../http/idempotency.ts';
import { findReadyFiles, lockMediaShared } from '../media/store.ts';
import { priorityOf } from '../template-content/fill.ts';
import type { TemplateRow } from '../templates/store.ts';
import {
  type CompleteSend,
  type InsertedSend,
  insertSends,
  type NewMessage,
  type NewSend,
} from './new-sends-store.ts';
import type { SendRequest } from './recipients.ts';
import { requireApproved, resolveTemplate } from './resolve-template.ts';
import type { ResolvedSender, ResolvedTemplate } from './resolve-template-store.ts';
import { insertScheduledSend } from './scheduled-store.ts';
import type { SendSteps } from './send-steps.ts';

export interface StoreDeps {
  hot: Db;
  sendSteps: Pick<SendSteps, 'store'>;
  sendWaitMs: number;
  /** The process that leases; see `db/process-session.ts`. */
  processId: number;
}

/** The lease of a key. A repeat gets 409 until it ends, and then continues the send: the first request must have died. */
const keyLeaseSeconds = (deps: { sendWaitMs: number }): number => Math.ceil(deps.sendWaitMs / 1000) + 40;

/** The lease of a key whose request this process handles; it ends with the process. */
export const keyLeaseOf = (deps: { sendWaitMs: number; processId: number }): KeyLease => ({
  leaseSeconds: keyLeaseSeconds(deps),
  processId: deps.processId,
});

/** True if the messages of the template are one-time codes. */
export const isAuthentication = ({ category }: TemplateRow) => category.toUpperCase() === 'AUTHENTICATION';

const defaultExpirySeconds = { authentication: 600, other: 86_400 };

/** The time to live of the send's messages, in seconds. */
export const expirySecondsOf = (
  request: { expiresInSeconds?: number | undefined },
  template: TemplateRow,
): number =>
  request.expiresInSeconds ?? defaultExpirySeconds[isAuthentication(template) ? 'authentication' : 'other'];

/** The Idempotency-Key of a request that sends. */
export type SendIdempotencyKey = RequestKey & {
  /** True if the acceptance of the send's only message, if it has one, is the response: its results in the end, and nothing else. */
  isAnsweredByMessage?: boolean;
};

/** A send whose recipients were checked against the template. */
export interface CheckedSend {
  id: string;
  request: SendRequest;
  template: TemplateRow;
  sender: ResolvedSender;
  messages: NewMessage[];
  mediaIds: string[];
  key: SendIdempotencyKey | undefined;
  /** If the template and sender were read for an earlier send: their versions. */
  knownAs?: ResolvedTemplate['versions'] | undefined;
}

/** The message whose acceptance answers the send's key; see `answered_by` of keys. */
export const answeredByOf = ({ key, messages }: Pick<CheckedSend, 'key' | 'messages'>): string | null =>
  (key?.isAnsweredByMessage && messages.length === 1 && messages[0]?.id) || null;

const isListed = ({ name, sendAt }: CheckedSend['request']): boolean =>
  name !== undefined || sendAt !== undefined;

const newSendOf = ({ id, request, template, sender, messages, knownAs }: CheckedSend): NewSend => ({
  accountId: request.accountId,
  id,
  senderId: sender.id,
  templateId: template.id,
  templateName: template.name,
  language: template.language,
  total: messages.length,
  templateChangedAt: template.components_changed_at,
  readAs: knownAs && { ...knownAs, namesSender: request.senderId !== undefined },
  name: request.name,
  listed: isListed(request),
  // the others are too many to say more of each
  createdBy: isListed(request) ? currentCreator() : undefined,
});

/** Writes rows in the transaction of the send; an error rolls all back. */
export type AlsoWrite = (tx: Tx, messages: NewMessage[]) => Promise<void>;

/**
 * Stores a send with its messages and key. Undefined, and nothing is stored, for the reasons that `throwMissing` names. `also` runs
 * first, in one transaction with it, which these reasons roll back with an error.
 */
export async function storeSend(
  deps: StoreDeps,
  checked: CheckedSend,
  also: AlsoWrite | undefined,
): Promise<InsertedSend | undefined> {
  const { request, template, messages, mediaIds, key } = checked;
  const send: CompleteSend = {
    ...{ send: newSendOf(checked), messages, mediaIds },
    ...{ priority: priorityOf(template.category), expiresInSeconds: expirySecondsOf(request, template) },
    key: key && { ...key, leaseSeconds: keyLeaseSeconds(deps), answeredBy: answeredByOf(checked) },
  };
  if (!also) return deps.sendSteps.store(send);
  return deps.hot.transaction().execute(async (tx) => {
    await also(tx, messages);
    const [stored] = await insertSends(tx, [send], { processId: deps.processId, ifLocked: 'wait' });
    return stored ?? throwMissing(tx, checked);
  });
}

/**
 * Reports why nothing was stored: since they were read, a media file, the template or the sender was removed, the template changed
 * or is being deleted, or another request stored the key.
 */
export async function throwMissing(
  db: Db | Tx,
  { request, template: checked, mediaIds, key }: CheckedSend,
): Promise<never> {
  const [files] = await findReadyFiles(db, [{ accountId: request.accountId, publicIds: mediaIds }]);
  if (files?.length !== mediaIds.length) throw mediaDeleted();
  if (key && (await findKey(db, key))) throw inProgress();
  const { template } = await resolveTemplate(db, request.accountId, request);
  requireApproved(template);
  if (template.components_changed_at?.getTime() !== checked.components_changed_at?.getTime())
    throw new AppError('conflict', 'The template changed in the meantime. Send again.');
  throw new AppError('sender_not_found', 'The sender was removed in the meantime. Send again.');
}

function mediaDeleted(): AppError {
  return new AppError(
    'media_not_found',
    'A media file of this send was deleted in the meantime. Upload it again.',
  );
}

/** Stores a send for later, with its key: its recipients are kept apart from the queue. */
export async function storeScheduled(deps: StoreDeps, send: CheckedSend, sendAt: Date): Promise<void> {
  const { id, request, template, messages, mediaIds, key } = send;
  const common = {
    priority: priorityOf(template.category),
    expiresInSeconds: expirySecondsOf(request, template),
  };
  await deps.hot.transaction().execute(async (tx) => {
    if (mediaIds.length > 0) {
      const locked = await lockMediaShared(tx, request.accountId, mediaIds);
      if (locked.length < mediaIds.length) throw mediaDeleted();
    }
    if (key && !(await insertKey(tx, { ...key, ...keyLeaseOf(deps), subjectId: id }))) throw inProgress();
    // the key is this request's own
    if (!(await insertScheduledSend(tx, { ...newSendOf(send), sendAt }, messages, common)))
      await throwMissing(tx, { ...send, key: undefined });
  });
}
