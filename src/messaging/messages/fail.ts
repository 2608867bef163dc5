// Failure of messages with their events, in one transaction.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import type { CompletionWaiters } from './completion-waiters.ts';
import { type MessageError, type MessageKey, type StateNumber, sortById } from './message.ts';
import { failMessages } from './moves-store.ts';
import { statusEvents } from './status-events.ts';

export interface FailDeps extends PublishDeps {
  hot: Db;
  clock: Clock;
  completions: CompletionWaiters;
}

/** Fails those messages that are in one of the states `from` and publishes their events; returns how many failed. */
export async function failAndPublish(
  deps: FailDeps,
  failures: readonly (MessageKey & { error: MessageError })[],
  from: readonly StateNumber[],
): Promise<number> {
  if (failures.length === 0) return 0;
  const { moved, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    const moved = await failMessages(tx, sortById(failures), from);
    return { moved, leasedDeliveries: await publish(deps, tx, statusEvents(moved, deps.clock.now())) };
  });
  deps.deliveries.offer(leasedDeliveries);
  for (const message of moved) deps.completions.completed(message);
  return moved.length;
}
