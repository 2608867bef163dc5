// Status callbacks of messages: their schedule and their contents.
import type { Poster } from './callbacks.ts';
import { statusErrors } from './errors.ts';
import type { Accepted, Step } from './ledger.ts';
import type { Outcome } from './magic.ts';
import type { Settings } from './model.ts';
import type { State } from './state.ts';

/** The callbacks of a message that was accepted at `acceptedAt`, in the order of its outcome. */
export function planSteps(outcome: Outcome, acceptedAt: number, settings: Settings): Step[] {
  const delays = [settings.sentMs, settings.deliveredMs, settings.readMs];
  const from = acceptedAt + (outcome.held ? settings.heldMs : 0);
  const ranks = { sent: 0, failed: 0, delivered: 1, read: 2 };
  const steps: Step[] = [];
  for (const { status, delay, code, copies = 1 } of outcome.statuses) {
    const dueAt = from + (delays[delay] ?? 0);
    // A status that is posted out of order still reports its own time.
    const at = status === 'failed' ? dueAt : from + (delays[ranks[status]] ?? 0);
    for (let copy = 0; copy < copies; copy++)
      steps.push({ status, ...(code !== undefined && { code }), dueAt, at, done: false, answers: [] });
  }
  return steps;
}

/** Schedules the unfinished callbacks of a message, also after a restart. */
export function scheduleSteps(state: State, poster: Poster, message: Accepted): void {
  const now = state.clock.now();
  message.steps.forEach((step, index) => {
    if (step.done) return;
    const waitMs = step.dueAt - now;
    if (waitMs <= 0) poster.post({ message, step, index });
    else setTimeout(() => poster.post({ message, step, index }), waitMs).unref();
  });
}

/** The `statuses[]` item of one step. */
export function statusItem(message: Accepted, step: Step, { plainErrorData }: Settings): unknown {
  return {
    id: message.wamid,
    status: step.status,
    timestamp: String(Math.floor(step.at / 1000)),
    ...(message.waId !== '' && { recipient_id: message.waId }),
    ...(message.userId !== undefined && { recipient_user_id: message.userId }),
    ...(message.opaque !== null && { biz_opaque_callback_data: message.opaque }),
    ...(carriesPricing(message, step) && {
      pricing: {
        billable: true,
        pricing_model: 'PMP',
        type: 'regular',
        category: message.category.toLowerCase(),
      },
    }),
    ...(step.code !== undefined && { errors: statusErrors(step.code, plainErrorData) }),
  };
}

/** Since v24, `sent` and one of `delivered` and `read` report the price. */
function carriesPricing(message: Accepted, { status }: Step): boolean {
  if (status === 'sent' || status === 'delivered') return true;
  return status === 'read' && !message.steps.some((step) => step.status === 'delivered');
}
