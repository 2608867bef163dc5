// The states of a send, and what each request does in each of them. Pure.
import type { SendStateName } from '../../contract/campaigns.ts';
import { sendStage } from '../messages/send-stage.ts';
import { sharedMembers } from '../template-content/recipient-content.ts';

/** The columns of a send that decide its state. */
export interface SendFacts {
  /** Of `sendStage`. */
  stage: number;
  cancelled_at: Date | null;
  paused_at: Date | null;
  done_at: Date | null;
}

/** True if the send was created without recipients (POST /v1/sends): only such a send has defaults. */
export const wasDraft = (send: { defaults: unknown }): boolean => send.defaults !== null;

/** The state of a send; `isPending`: a recipient waits, is queued or is being dispatched. */
export function stateOf(send: SendFacts, isPending: boolean): SendStateName {
  if (send.cancelled_at !== null) return 'cancelled';
  if (send.stage === sendStage.draft) return 'draft';
  if (send.done_at !== null || !isPending) return 'done';
  if (send.paused_at !== null) return 'paused';
  return send.stage === sendStage.scheduled ? 'scheduled' : 'sending';
}

export type SendAction = 'start' | 'pause' | 'resume' | 'cancel';

/** What a request does: moves the send to a state, changes nothing, or is rejected. */
export type Decision = { kind: 'move'; to: SendStateName } | { kind: 'nothing' } | { kind: 'conflict' };

const nothing: Decision = { kind: 'nothing' };
const conflict: Decision = { kind: 'conflict' };

/** What `action` does in `state`; `isAhead`: the send's `sendAt` is in the future. */
export function decide(state: SendStateName, action: SendAction, isAhead: boolean): Decision {
  const move = (to: SendStateName): Decision => ({ kind: 'move', to });
  const whenDue = move(isAhead ? 'scheduled' : 'sending');
  switch (action) {
    case 'start':
      if (state === 'draft') return whenDue;
      if (state === 'scheduled') return move('sending');
      return state === 'sending' ? nothing : conflict;
    case 'pause':
      if (state === 'scheduled' || state === 'sending') return move('paused');
      return state === 'paused' ? nothing : conflict;
    case 'resume':
      if (state === 'paused') return whenDue;
      return state === 'sending' ? nothing : conflict;
    case 'cancel':
      if (state === 'done') return conflict;
      return state === 'cancelled' ? nothing : move('cancelled');
  }
}

const always = ['name'] as const;
const changeable: Record<SendStateName, readonly string[]> = {
  draft: [...always, 'senderId', 'sendAt', 'expiresInSeconds', 'metadata', ...sharedMembers],
  scheduled: [...always, 'sendAt'],
  sending: always,
  paused: [...always, 'sendAt'],
  done: always,
  cancelled: always,
};

/** True if the member of a send may be changed in that state. */
export function mayChange(state: SendStateName, member: string): boolean {
  return changeable[state].includes(member);
}
