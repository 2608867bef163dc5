// Messages by stage, by the hour or the day.
import { Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { Chart } from '../design/chart.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { ChartCard } from './chart-card.tsx';
import type { Period } from './periods.ts';
import { useIntervals } from './use-intervals.ts';

const heightPx = 188;

export function MessageChart({ period }: { period: Period }) {
  const text = textsOf('home');
  const { rows, positions, ...state } = useIntervals('messages', period, (range) =>
    api.getMessageStatistics(range),
  );
  const sum = (of: 'sent' | 'failed') => rows.reduce((total, row) => total + (row?.[of] ?? 0), 0);
  const total = sum('sent');
  const rest = (one: number, next: number) => Math.max(0, one - next);
  return (
    <ChartCard
      title={text(period === 'day' ? 'byHour' : 'byDay')}
      period={period}
      end={
        <Link to="/messages" search={{ hours: period === 'day' ? 24 : 720 }}>
          {text('allMessages')}
        </Link>
      }
      {...state}
      isEmpty={total + sum('failed') === 0}
      emptyText={text(`noMessages_${period}`)}
    >
      <Chart
        kind="stacked"
        heightPx={heightPx}
        positions={positions}
        label={text(`sentence_${period}`, { count: total, total: formatNumber(total) })}
        series={[
          { label: wordOf('read'), color: '--chart-read', values: rows.map((row) => row?.read ?? 0) },
          {
            label: wordOf('delivered'),
            color: '--chart-delivered',
            values: rows.map((row) => rest(row?.delivered ?? 0, row?.read ?? 0)),
          },
          {
            label: wordOf('sent'),
            color: '--chart-sent',
            values: rows.map((row) => rest(row?.sent ?? 0, row?.delivered ?? 0)),
          },
          { label: wordOf('failed'), color: '--chart-failed', values: rows.map((row) => row?.failed ?? 0) },
        ]}
      />
    </ChartCard>
  );
}
