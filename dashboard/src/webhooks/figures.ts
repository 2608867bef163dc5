// The attempts of one endpoint over a day, a week or a month: an entry for every interval, also for those without any. Pure.
import type { WebhookStatistics } from '../../../client/src/generated.ts';
import { addDays, civilDate, instantOf, offsetMs } from '../text/civil.ts';

export const ranges = ['day', 'week', 'month'] as const;
export type Range = (typeof ranges)[number];
/** How many intervals a range has, and how long they are. */
const shapes = {
  day: { count: 24, interval: 'hour' },
  week: { count: 7 * 24, interval: 'hour' },
  month: { count: 30, interval: 'day' },
} as const;

export type Interval = Omit<WebhookStatistics, 'endpointId'>;

const hourMs = 3_600_000;

/** When each interval of the range begins, oldest first; the last one holds `nowMs`. */
function startsOf(range: Range, nowMs: number, zone: string): number[] {
  const { count, interval } = shapes[range];
  const now = new Date(nowMs);
  if (interval === 'day') {
    const today = civilDate(now, zone);
    return Array.from({ length: count }, (_, index) =>
      instantOf(addDays(today, index - count + 1), 0, zone).getTime(),
    );
  }
  // hours begin at half past the hour of UTC in India
  const shiftMs = offsetMs(now, zone) % hourMs;
  const last = Math.floor((nowMs + shiftMs) / hourMs) * hourMs - shiftMs;
  return Array.from({ length: count }, (_, index) => last - (count - 1 - index) * hourMs);
}

/** The range as the API takes it; its end is now. */
export const queryOf = (range: Range, nowMs: number, zone: string) => ({
  from: new Date(startsOf(range, nowMs, zone)[0] ?? nowMs).toISOString(),
  interval: shapes[range].interval,
});

/** The intervals of one endpoint. */
export function intervalsOf(
  items: readonly WebhookStatistics[],
  { endpointId, range, nowMs, zone }: { endpointId: string; range: Range; nowMs: number; zone: string },
): Interval[] {
  const starts = startsOf(range, nowMs, zone);
  const own = items.filter((item) => item.endpointId === endpointId);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    const found = own.find(({ at }) => Date.parse(at) >= start && Date.parse(at) < end);
    const empty = { attempts: 0, delivered: 0, failed: 0, dead: 0, p50Ms: null, p95Ms: null };
    return { ...(found ?? empty), at: new Date(start).toISOString() };
  });
}

/** The highest of what was measured; null: nothing was. */
export const highest = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>(
    (most, value) => (value !== null && value > (most ?? -1) ? value : most),
    null,
  );
