// The messages of the last 24 hours, by hour and stage.
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { Card } from '../design/card.tsx';
import { Chart } from '../design/chart.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { offsetMs } from '../text/civil.ts';
import { formatClock, formatNumber, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { hoursOf } from './hours.ts';

const hours = 24;
const hourMs = 3_600_000;

export function LastDay() {
  const text = textsOf('home');
  const { data, error, refetch } = useQuery({
    queryKey: ['overview', 'hours', zone],
    queryFn: () => {
      const to = Math.ceil(Date.now() / hourMs) * hourMs;
      const range = { from: new Date(to - hours * hourMs).toISOString(), to: new Date(to).toISOString() };
      return api.getMessageStatistics({ ...range, interval: 'hour', timezone: zone });
    },
    refetchInterval: 30_000,
  });
  const shiftMs = offsetMs(new Date(), zone) % hourMs;
  const rows = data ? hoursOf(data.items, { nowMs: Date.now(), count: hours, shiftMs }) : [];
  const total = rows.reduce((sum, row) => sum + row.sent, 0);
  return (
    <Card title={text('byHour')} note={text('lastDay')}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && (
        <Chart
          kind="stacked"
          heightPx={188}
          positions={rows.map(({ at }) => formatClock(new Date(at)))}
          label={text('byHourSentence', { count: total, total: formatNumber(total) })}
          series={[
            { label: wordOf('read'), color: '--chart-read', values: rows.map(({ read }) => read) },
            {
              label: wordOf('delivered'),
              color: '--chart-delivered',
              values: rows.map(({ delivered, read }) => Math.max(0, delivered - read)),
            },
            {
              label: wordOf('sent'),
              color: '--chart-sent',
              values: rows.map(({ sent, delivered }) => Math.max(0, sent - delivered)),
            },
            { label: wordOf('failed'), color: '--chart-failed', values: rows.map(({ failed }) => failed) },
          ]}
        />
      )}
    </Card>
  );
}
