// A webhook endpoint as the API and events show it.
import type { EndpointItem } from '../../contract/webhooks.ts';
import { overlaps } from './endpoint.ts';
import { endpointStatus } from './status.ts';
import type { EndpointRow } from './store.ts';

/** The endpoint, with the deliveries that wait for it (`countWaiting`); `nowMs` decides whether its rotation is in progress. */
export function endpointItem(row: EndpointRow, waiting: number, nowMs: number): EndpointItem {
  return {
    _id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    status: row.status === endpointStatus.deleted ? endpointStatus.disabled : row.status,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since?.toISOString() ?? null,
    restingUntil: row.resting_until?.toISOString() ?? null,
    waiting,
    rotation:
      row.overlap_until && overlaps(row, nowMs)
        ? { overlapUntil: row.overlap_until.toISOString(), activated: row.next_activated }
        : null,
    createdAt: row.created_at.toISOString(),
  };
}
