// Failing messages, with their events in the same transaction.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import type { CompletionWaiters } from './completion-waiters.ts';
import type { MessageError } from './message.ts';
import { failMessages, type MessageKey } from './messages-moves-store.ts';
import { statusEvents } from './status-events.ts';

export interface FailDeps extends PublishDeps {
  hot: Db;
  clock: Clock;
  completions: CompletionWaiters;
}

/** Fails those of the messages that are in one of `from` states and publishes it; answers how many failed. */
export async function failAndPublish(
  deps: FailDeps,
  failures: (MessageKey & { error: MessageError })[],
  from: number[],
): Promise<number> {
  if (failures.length === 0) return 0;
  const sorted = failures.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const { moved, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    const moved = await failMessages(tx, sorted, from);
    return { moved, leasedDeliveries: await publish(deps, tx, statusEvents(moved, deps.clock.now())) };
  });
  deps.deliveries.offer(leasedDeliveries);
  for (const message of moved) deps.completions.completed(message);
  return moved.length;
}
