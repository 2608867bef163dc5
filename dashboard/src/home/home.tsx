// The start page: problems first, each with its fix; then today; then, since its code is large, the chart of the last hours.
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { formatMoment, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { LastDay } from './last-day.tsx';
import { ProblemList } from './problem-list.tsx';
import { healthProblemOf, problemsOf } from './problems.ts';
import { Today } from './today.tsx';
import './home.css';

export function Home() {
  const text = textsOf('home');
  const nowMs = useNow();
  const maySeeMessages = useMay('messages:read');
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
  const problems = [...(health.data ? healthProblemOf(health.data) : []), ...(data ? problemsOf(data) : [])];
  return (
    <Page
      title={data ? text('needYou', { count: problems.length }) : text('title')}
      actions={
        <span className="small muted number">
          {formatMoment(new Date(nowMs))} <span className="note">{zone}</span>
        </span>
      }
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {problems.length > 0 && <ProblemList problems={problems} />}
      {data && <Today overview={data} />}
      {data && maySeeMessages && <LastDay />}
    </Page>
  );
}
