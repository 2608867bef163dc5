// Presenter: sends as the API returns them. Pure.
import { state, stateName } from '../messages/message.ts';
import type { SendRow } from '../messages/sends-store.ts';
import type { SendCreator } from '../sending/new-sends-store.ts';
import type { Progress } from './list-store.ts';
import { stateOf } from './state.ts';

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** A send in a list. */
export function presentSendItem(send: SendRow, isPending: boolean) {
  return {
    sendId: send.id,
    name: send.name,
    state: stateOf(send, isPending),
    templateId: send.template_id,
    senderId: send.sender_id,
    total: send.total,
    sendAt: iso(send.send_at),
    expiresInSeconds: send.expires_in,
    expiresAt: iso(send.expires_at),
    startedAt: iso(send.started_at),
    pausedAt: iso(send.paused_at),
    pausedReason: send.paused_reason,
    doneAt: iso(send.done_at),
    cancelledAt: iso(send.cancelled_at),
    createdAt: send.created_at.toISOString(),
    createdBy: send.created_by as SendCreator | null,
  };
}

/** A send with its progress at `nowMs`; `windowSeconds`: what its rate is measured over. */
export function presentSendSummary(
  send: SendRow,
  progress: Progress,
  { nowMs, windowSeconds }: { nowMs: number; windowSeconds: number },
) {
  const written = progress.counts.reduce((sum, { n }) => sum + n, 0);
  // of a send that ended, the missing messages are those that were removed after their days
  const waiting = send.is_open ? Math.max(0, send.total - written) : 0;
  const numberIn = (one: number) => progress.counts.find((count) => count.state === one)?.n ?? 0;
  const left = waiting + numberIn(state.queued) + numberIn(state.dispatching);
  const item = presentSendItem(send, left > 0);
  const perSecond = Math.round((progress.acceptedLately / windowOf(send, nowMs, windowSeconds)) * 10) / 10;
  const isEstimated = item.state === 'sending' && perSecond > 0;
  return {
    ...item,
    counts: {
      waiting,
      ...Object.fromEntries(progress.counts.map(({ state: number, n }) => [stateName(number), n])),
    } as { waiting: number; queued?: number; failed?: number },
    perSecond,
    estimatedDoneAt: isEstimated ? new Date(nowMs + (left / perSecond) * 1000).toISOString() : null,
  };
}

/** The seconds that the rate is measured over: since the start if that is shorter, at least one. */
function windowOf(send: SendRow, nowMs: number, windowSeconds: number): number {
  const sinceStart = send.started_at ? (nowMs - send.started_at.getTime()) / 1000 : windowSeconds;
  return Math.max(1, Math.min(windowSeconds, sinceStart));
}
