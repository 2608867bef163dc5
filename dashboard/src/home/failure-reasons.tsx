// Why messages of the period failed: each reason with how many.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { ReasonList } from '../messages/reason-list.tsx';
import { zone } from '../text/format.ts';
import { intervalsOf } from '../text/intervals.ts';
import { textsOf } from '../text/texts.ts';
import { ChartCard } from './chart-card.tsx';
import type { Period } from './periods.ts';

const shownMax = 6;
const readAgainMs = 60_000;

export function FailureReasons({ period }: { period: Period }) {
  const text = textsOf('home');
  const { data, error, refetch } = useQuery({
    queryKey: ['overview', 'failures', period, zone],
    queryFn: () => api.getFailureStatistics({ from: intervalsOf(period, Date.now(), zone).from }),
    refetchInterval: readAgainMs,
  });
  return (
    <ChartCard
      title={text('whyFailed')}
      period={period}
      end={
        <Link to="/messages" search={{ status: 'failed', hours: period === 'day' ? 24 : 720 }}>
          {text('allFailed')}
        </Link>
      }
      error={error}
      retry={() => void refetch()}
      isLoaded={data !== undefined}
      isEmpty={data?.items.length === 0}
      emptyText={text('noFailures')}
    >
      <ReasonList reasons={data?.items.slice(0, shownMax) ?? []} />
    </ChartCard>
  );
}
