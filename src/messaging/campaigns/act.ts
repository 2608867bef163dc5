// Start, pause, resume and cancel: one transaction that locks the send, decides and moves it.
import { audit } from '../../audit/store.ts';
import { AppError } from '../../base/errors.ts';
import type { SendStateName } from '../../contract/campaigns.ts';
import type { Db, Tx } from '../../db/db.ts';
import { type CancelDeps, cancelSend } from '../dispatch/cancel.ts';
import { beginCancel } from '../dispatch/cancel-store.ts';
import { sendNotFound } from '../messages/find.ts';
import { sendStage } from '../messages/send-stage.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { findSender } from '../senders/store.ts';
import { requireApproved, requireSender } from '../sending/resolve-template.ts';
import { findTemplate } from '../templates/store.ts';
import { decide, type SendAction, stateOf } from './state.ts';
import { type LockedSend, lockSend, pause, resume, schedule, startNow } from './transitions-store.ts';

export interface ActDeps extends CancelDeps {
  db: Db;
  /** Wakes the feeder. */
  nudgeFeed: () => void;
}

/** The lease of a cancellation that a request begins. */
const cancelLeaseSeconds = 60;

/** The 409 for an action that the state does not allow. */
export function stateConflict(state: SendStateName, what: string): AppError {
  return new AppError('send_state_conflict', `The send is ${state}, so it cannot be ${what}.`);
}

/** The 409 for a send whose recipients are being uploaded. */
export function uploadInProgress(): AppError {
  return new AppError(
    'upload_in_progress',
    'Recipients are being uploaded to this send. Repeat the request when the upload has ended.',
    { retryAfterSeconds: 10 },
  );
}

const participle = {
  start: 'started',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
} as const satisfies Record<SendAction, string>;

/**
 * Performs `action`. Throws 404 `send_not_found`, 409 `send_state_conflict`; for a start also `upload_in_progress`,
 * `template_changed`, `template_not_approved` and what `requireSender` throws.
 */
export async function act(deps: ActDeps, of: SendKey, action: SendAction): Promise<void> {
  const to = await deps.db.transaction().execute(async (tx) => {
    const send = await lockSend(tx, of);
    if (!send) throw sendNotFound();
    const state = stateOf(send, send.is_pending);
    const decision = decide(state, action, send.is_ahead);
    if (decision.kind === 'conflict') throw stateConflict(state, participle[action]);
    if (decision.kind === 'nothing') return undefined;
    if (decision.to === 'sending' || decision.to === 'scheduled') await requireStartable(tx, of, send);
    await move(tx, of, state, decision.to);
    await audit(tx, of.accountId, `send.${actedOn(action, decision.to)}`, of.sendId, { state: decision.to });
    return decision.to;
  });
  if (to === undefined) return;
  deps.nudgeFeed();
  // queued messages fail here for about a second; the worker continues with the rest
  if (to === 'cancelled') await cancelSend(deps, of);
}

/** What the audit log calls an action: a start may only schedule. */
const actedOn = (action: SendAction, to: SendStateName) =>
  action === 'start' && to === 'scheduled' ? 'scheduled' : participle[action];

async function move(tx: Tx, of: SendKey, from: SendStateName, to: SendStateName): Promise<void> {
  switch (to) {
    case 'scheduled':
      return schedule(tx, of);
    case 'sending':
      return from === 'paused' ? resume(tx, of) : startNow(tx, of);
    case 'paused':
      return pause(tx, of);
    case 'cancelled':
      return beginCancel(tx, of, cancelLeaseSeconds);
    default:
      throw new Error(`No action leads to ${to}.`);
  }
}

/** Checks what a send that never started needs. One that started keeps its content. */
async function requireStartable(tx: Tx, of: SendKey, send: LockedSend): Promise<void> {
  if (send.stage === sendStage.started) return;
  if (send.is_uploading) throw uploadInProgress();
  if (!send.is_pending) {
    throw new AppError('send_state_conflict', 'The send has no recipients. Add some before you start it.');
  }
  const template = await findTemplate(tx, of.accountId, send.template_id);
  if (!template) throw sendNotFound();
  if (!send.fits) {
    throw new AppError(
      'template_changed',
      `The template ${template.name} has changed since the recipients were checked. Call POST /v1/sends/${of.sendId}/check to check them again.`,
    );
  }
  requireApproved(template);
  requireSender({ template, sender: await findSender(tx, of.accountId, send.sender_id) });
}
