// Webhooks: how many attempts were accepted, and how long they took.
import { Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { Chart } from '../design/chart.tsx';
import { formatNumber, formatShare } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { ChartCard } from './chart-card.tsx';
import type { Period } from './periods.ts';
import { useIntervals } from './use-intervals.ts';

const heightPx = 130;

export function WebhookCharts({ period }: { period: Period }) {
  const text = textsOf('home');
  const { rows, positions, ...state } = useIntervals('webhooks', period, (range) =>
    api.getWebhookStatistics(range),
  );
  const sum = (of: 'attempts' | 'delivered') => rows.reduce((total, row) => total + (row?.[of] ?? 0), 0);
  const attempts = sum('attempts');
  const slowest = Math.max(0, ...rows.map((row) => row?.p95Ms ?? 0));
  return (
    <ChartCard
      title={text('webhookTries')}
      period={period}
      end={<Link to="/webhooks">{text('allEndpoints')}</Link>}
      {...state}
      isEmpty={attempts === 0}
      emptyText={text('noTries')}
    >
      <div className="column loose">
        <Chart
          kind="stacked"
          heightPx={heightPx}
          positions={positions}
          label={text('webhookSentence', {
            count: attempts,
            total: formatNumber(attempts),
            share: formatShare(sum('delivered'), attempts),
          })}
          series={[
            {
              label: text('acceptedTries'),
              color: '--chart-delivered',
              values: rows.map((row) => row?.delivered ?? 0),
            },
            {
              label: text('failedTries'),
              color: '--chart-failed',
              values: rows.map((row) => row?.failed ?? 0),
            },
          ]}
        />
        <Chart
          kind="lines"
          heightPx={heightPx}
          positions={positions}
          label={text('latencySentence', { ms: formatNumber(slowest) })}
          series={[
            { label: text('p95'), color: '--accent', values: rows.map((row) => row?.p95Ms ?? null) },
            {
              label: text('p50'),
              color: '--ink3',
              values: rows.map((row) => row?.p50Ms ?? null),
              dashed: true,
            },
          ]}
        />
      </div>
    </ChartCard>
  );
}
