// Statistics for the intervals of a chart, read again every half minute.
import { useQuery } from '@tanstack/react-query';
import { formatClock, formatDay, zone } from '../text/format.ts';
import { type Intervals, intervalsOf, rowsOf } from '../text/intervals.ts';
import type { Period } from './periods.ts';

const readAgainMs = 30_000;

type Range = Pick<Intervals, 'from' | 'to' | 'interval'> & { timezone: string };

/** `read` asks the API for a range; `rows` has one for each position, undefined where nothing was counted. */
export function useIntervals<T extends { at: string }>(
  name: string,
  period: Period,
  read: (range: Range) => PromiseLike<{ items: T[] }>,
) {
  const { data, error, refetch } = useQuery({
    queryKey: ['overview', name, period, zone],
    queryFn: async () => {
      const { starts, ...range } = intervalsOf(period, Date.now(), zone);
      const { items } = await read({ ...range, timezone: zone });
      return { items, starts };
    },
    refetchInterval: readAgainMs,
  });
  const { starts } = data ?? intervalsOf(period, Date.now(), zone);
  return {
    isLoaded: data !== undefined,
    rows: rowsOf(data?.items ?? [], starts),
    positions: starts.map((at) => (period === 'day' ? formatClock(new Date(at)) : formatDay(new Date(at)))),
    error,
    retry: () => void refetch(),
  };
}
