// Drafts: made, changed, emptied and deleted.
import { currentCreator } from '../../audit/actor.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { insertKey, type RequestKey } from '../../db/idempotency-keys.ts';
import { inProgress } from '../../http/idempotency.ts';
import { sendNotFound } from '../messages/find.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { findSender } from '../senders/store.ts';
import { requireSender, resolveTemplate, sendablePlan } from '../sending/resolve-template.ts';
import { scheduledAheadMaxMs } from '../sending/send.ts';
import { expirySecondsOf, isAuthentication } from '../sending/store-send.ts';
import { priorityOf } from '../template-content/fill.ts';
import { planOfRow } from '../template-content/placeholders.ts';
import { findTemplate } from '../templates/store.ts';
import { stateConflict } from './act.ts';
import { changedDefaults, defaultsOf, requireFitting } from './defaults.ts';
import { type Defaults, insertDraft, type SendChange, shareSender, updateSend } from './drafts-store.ts';
import { type LeaseDeps, withRecipientsLease } from './lease.ts';
import { deleteDraftRow, removeRecipients } from './recipients-store.ts';
import { mayChange, stateOf } from './state.ts';
import { lockSend } from './transitions-store.ts';

export interface DraftDeps extends LeaseDeps {
  /** Wakes the feeder. */
  nudgeFeed: () => void;
}

export interface DraftRequest extends Defaults {
  templateId: string;
  senderId?: string | undefined;
  name?: string | undefined;
  sendAt?: string | undefined;
  expiresInSeconds?: number | undefined;
}

const removedPerStep = 10_000;
/** The lease of a key; a repeat continues after it. */
export const draftKeyLeaseSeconds = 40;

/** Makes a draft; returns its id. Throws 404 and 409 as a send does, 400 for an authentication template. */
export async function createDraft(
  deps: DraftDeps,
  accountId: string,
  request: DraftRequest,
  key: RequestKey | undefined,
): Promise<string> {
  const resolved = await resolveTemplate(deps.db, accountId, request);
  const { template } = resolved;
  const plan = sendablePlan(template);
  if (isAuthentication(template)) {
    const message = 'is an authentication template, which can be neither drafted nor scheduled';
    throw invalidRequest([{ path: 'templateId', message }]);
  }
  const sendAt = request.sendAt === undefined ? null : sendAtOf(deps, request.sendAt);
  const sender = requireSender(resolved);
  const id = uuidv7(deps.clock.now());
  const defaults = defaultsOf(request);
  await deps.db.transaction().execute(async (tx) => {
    await requireFitting(tx, accountId, { plan, defaults, nowMs: deps.clock.now() });
    const lease = { leaseSeconds: draftKeyLeaseSeconds, processId: deps.processId };
    if (key && !(await insertKey(tx, { ...key, ...lease, subjectId: id }))) throw inProgress();
    const inserted = await insertDraft(tx, {
      accountId,
      id,
      senderId: sender.id,
      templateId: template.id,
      templateName: template.name,
      language: template.language,
      name: request.name,
      sendAt,
      expiresInSeconds: expirySecondsOf(request, template),
      priority: priorityOf(template.category),
      defaults,
      templateChangedAt: template.components_changed_at,
      createdBy: currentCreator(),
    });
    if (!inserted)
      throw new AppError(
        'conflict',
        'The template or sender was removed in the meantime. Repeat the request.',
        { retryAfterSeconds: 1 },
      );
  });
  return id;
}

function sendAtOf({ clock }: DraftDeps, text: string): Date {
  const sendAt = new Date(text);
  if (sendAt.getTime() - clock.now() > scheduledAheadMaxMs)
    throw invalidRequest([{ path: 'sendAt', message: 'must be at most 90 days ahead' }]);
  return sendAt;
}

export type ChangeRequest = { [Member in keyof Defaults]?: Defaults[Member] | null } & {
  name?: string | null | undefined;
  senderId?: string | undefined;
  sendAt?: string | null | undefined;
  expiresInSeconds?: number | undefined;
};

/** Changes a send. 409 `send_state_conflict` names a member that its state does not allow to change. */
export async function changeSend(deps: DraftDeps, of: SendKey, change: ChangeRequest): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    const send = await lockSend(tx, of);
    if (!send) throw sendNotFound();
    const state = stateOf(send, send.is_pending);
    const fixed = Object.keys(change).find((member) => !mayChange(state, member));
    if (fixed !== undefined) throw stateConflict(state, `changed in ${fixed}`);
    const { name, senderId, sendAt, expiresInSeconds } = change;
    const values: SendChange = { name, expiresInSeconds };
    if (senderId !== undefined) values.senderId = await senderOf(tx, of, send.template_id, senderId);
    if (sendAt !== undefined) values.sendAt = sendAt === null ? null : sendAtOf(deps, sendAt);
    if (
      state === 'scheduled' &&
      sendAt !== undefined &&
      (values.sendAt?.getTime() ?? 0) <= deps.clock.now()
    ) {
      const message = 'must be in the future; to send now, start the send';
      throw invalidRequest([{ path: 'sendAt', message }]);
    }
    const defaults = changedDefaults(send.defaults as Defaults | null, change);
    if (defaults) {
      const template = await findTemplate(tx, of.accountId, send.template_id);
      if (!template) throw sendNotFound();
      const plan = planOfRow(template);
      await requireFitting(tx, of.accountId, { plan, defaults, nowMs: deps.clock.now() });
      values.defaults = defaults;
    }
    await updateSend(tx, of, values);
  });
  deps.nudgeFeed();
}

/** The id of a sender that the template can be sent with; locks it against removal. */
async function senderOf(
  tx: Tx,
  { accountId }: SendKey,
  templateId: string,
  senderId: string,
): Promise<string> {
  const { template } = await resolveTemplate(tx, accountId, { templateId, senderId });
  await shareSender(tx, senderId);
  const current = await findTemplate(tx, accountId, template.id);
  return requireSender({ template: current ?? template, sender: await findSender(tx, accountId, senderId) })
    .id;
}

const draftOnly = (participle: string) => ({ states: ['draft'] as const, participle });

/** Removes every recipient of a draft, in steps; returns how many. */
export async function emptyDraft(deps: DraftDeps, of: SendKey): Promise<number> {
  return withRecipientsLease(deps, of, draftOnly('emptied'), (_send, leaseId) => empty(deps, of, leaseId));
}

/** Deletes a draft with its recipients. */
export async function deleteDraft(deps: DraftDeps, of: SendKey): Promise<void> {
  await withRecipientsLease(deps, of, draftOnly('deleted'), async (_send, leaseId) => {
    await empty(deps, of, leaseId);
    if (!(await deleteDraftRow(deps.db, of, leaseId)))
      throw new AppError(
        'conflict',
        'Another request changed the draft in the meantime. Repeat the request.',
        { retryAfterSeconds: 1 },
      );
  });
}

async function empty(deps: DraftDeps, of: SendKey, leaseId: string): Promise<number> {
  let removed = 0;
  for (;;) {
    const step = await removeRecipients(deps.db, of, leaseId, removedPerStep);
    removed += step;
    if (step < removedPerStep) return removed;
  }
}
