// The start page: problems first, each with its fix; then today; then, since their code is large, the charts.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { api } from '../api/client.ts';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { formatMoment, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { ProblemList } from './problem-list.tsx';
import { healthProblemOf, problemsOf } from './problems.ts';
import { Today } from './today.tsx';
import { WellLine } from './well-line.tsx';
import './home.css';

const Charts = lazy(() => import('./charts.tsx'));

export function Home() {
  const text = textsOf('home');
  const nowMs = useNow();
  const { data, error, refetch } = useQuery({
    queryKey: ['overview', zone],
    queryFn: () => api.getOverview({ timezone: zone }),
    refetchInterval: 5_000,
  });
  const health = useQuery({
    queryKey: ['operator', 'health'],
    queryFn: () => api.getOperatorHealth(),
    enabled: useMay('operator'),
    refetchInterval: 30_000,
  });
  const problems = [
    ...(health.data ? healthProblemOf(health.data) : []),
    ...(data ? problemsOf(data, nowMs) : []),
  ];
  return (
    <Page
      title={data ? text('needYou', { count: problems.length }) : text('title')}
      text={data && <WellLine hasProblems={problems.length > 0} health={health.data} />}
      actions={
        <span className="small muted number">
          {formatMoment(new Date(nowMs))} <span className="note">{zone}</span>
        </span>
      }
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {health.error && <ErrorNote error={health.error} onRetry={() => void health.refetch()} />}
      {problems.length > 0 && <ProblemList problems={problems} waiting={data?.queue?.waiting ?? null} />}
      {data && <Today overview={data} />}
      {!data && !error && <Loading />}
      {data && (
        <Suspense fallback={<Loading />}>
          <Charts bookings={data.nextBookings} />
        </Suspense>
      )}
    </Page>
  );
}
