// The counts of each of the last hours; the API leaves hours without messages out. Pure.
import type { MessageStatistics } from '../../../client/src/generated.ts';

export type HourCounts = Pick<MessageStatistics, 'at' | 'sent' | 'delivered' | 'read' | 'failed'>;

const hourMs = 3_600_000;

/**
 * One row for each of the `count` hours until now, oldest first. `shiftMs`: how far the zone's hours begin after those of UTC,
 * such as 30 minutes in India.
 */
export function hoursOf(
  items: readonly HourCounts[],
  { nowMs, count, shiftMs }: { nowMs: number; count: number; shiftMs: number },
): HourCounts[] {
  const hourOf = (ms: number) => Math.floor((ms - shiftMs) / hourMs);
  const byStart = new Map(items.map((item) => [hourOf(Date.parse(item.at)), item]));
  const last = hourOf(nowMs);
  return Array.from({ length: count }, (_, index) => {
    const hour = last - count + 1 + index;
    const at = new Date(hour * hourMs + shiftMs).toISOString();
    return byStart.get(hour) ?? { at, sent: 0, delivered: 0, read: 0, failed: 0 };
  });
}
