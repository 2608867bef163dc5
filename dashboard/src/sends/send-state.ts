// What a send's counts mean for a page. Pure.
import type { Send } from '../../../client/src/generated.ts';

/** The parts of the bar: how far messages came. Stages that last a moment count as waiting. */
export const parts = ['read', 'delivered', 'sent', 'failed', 'waiting'] as const;
export type Part = (typeof parts)[number];

/** The colour token of each part. */
export const partColors: Record<Part, string> = {
  read: '--chart-read',
  delivered: '--chart-delivered',
  sent: '--chart-sent',
  failed: '--chart-failed',
  waiting: '--chart-waiting',
};

const count = ({ counts }: Pick<Send, 'counts'>, ...names: string[]): number =>
  names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);

/** How many recipients are in each part. A message that the platform accepted counts as sent. */
export const partsOf = (send: Pick<Send, 'counts'>): Record<Part, number> => ({
  read: count(send, 'read'),
  delivered: count(send, 'delivered'),
  sent: count(send, 'sent', 'accepted'),
  failed: count(send, 'failed'),
  waiting: count(send, 'waiting', 'queued', 'dispatching'),
});

/** Recipients whose message does not wait any more. */
export const handledOf = (send: Pick<Send, 'counts' | 'total'>): number => send.total - partsOf(send).waiting;

/** True while the counts can change. */
export const isMoving = ({ state, counts }: Pick<Send, 'state' | 'counts'>): boolean =>
  state === 'sending' || state === 'scheduled' || count({ counts }, 'queued', 'dispatching', 'accepted') > 0;

/** Messages that leave in an hour or more are worth a warning before the start: how long `total` takes at a rate, in milliseconds. */
export const durationMs = (total: number, perSecond: number): number => (total / perSecond) * 1_000;
