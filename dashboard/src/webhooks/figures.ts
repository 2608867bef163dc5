// The attempts of one endpoint over a day, a week or a month: an entry for every interval, also for those without any. Pure.
import type { WebhookStatistics } from '../../../client/src/generated.ts';
import { intervalsOf, type Range, rowsOf } from '../text/intervals.ts';

export type Figures = Omit<WebhookStatistics, 'endpointId'>;

/** The range as the API takes it; its end is now. */
export function queryOf(range: Range, nowMs: number, zone: string) {
  const { from, interval } = intervalsOf(range, nowMs, zone);
  return { from, interval };
}

const none = { attempts: 0, delivered: 0, failed: 0, dead: 0, p50Ms: null, p95Ms: null };

/** The figures of one endpoint in each interval. */
export function endpointFigures(
  items: readonly WebhookStatistics[],
  { endpointId, range, nowMs, zone }: { endpointId: string; range: Range; nowMs: number; zone: string },
): Figures[] {
  const { starts } = intervalsOf(range, nowMs, zone);
  const own = items.filter((item) => item.endpointId === endpointId);
  return rowsOf(own, starts).map((row, index) => ({
    ...(row ?? none),
    at: new Date(starts[index] ?? 0).toISOString(),
  }));
}

/** The highest of what was measured; null: nothing was. */
export const highest = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>(
    (most, value) => (value !== null && value > (most ?? -1) ? value : most),
    null,
  );
