// How an endpoint does: its attempts and their durations over a day, a week or a month.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Endpoint } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Card } from '../design/card.tsx';
import { Chart } from '../design/chart.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Segments } from '../design/segments.tsx';
import { formatClock, formatDay, formatDuration, formatNumber, formatShare, zone } from '../text/format.ts';
import { type Range, ranges } from '../text/intervals.ts';
import { textsOf } from '../text/texts.ts';
import { endpointFigures, type Figures, highest, queryOf } from './figures.ts';

const labelOf: Record<Range, (at: Date) => string> = {
  day: formatClock,
  week: (at) => `${formatDay(at)}, ${formatClock(at)}`,
  month: formatDay,
};

export function EndpointFigures({ endpoint: { _id: endpointId, waiting } }: { endpoint: Endpoint }) {
  const text = textsOf('webhooks');
  const [range, choose] = useState<Range>('day');
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    // counts have an interval of their own: the stream does not name them
    queryKey: ['webhookStatistics', range],
    queryFn: () =>
      api.getWebhookStatistics({ ...queryOf(range, Date.now(), zone), timezone: zone, by: 'endpoint' }),
    refetchInterval: 10_000,
  });
  const rows = data ? endpointFigures(data.items, { endpointId, range, nowMs: dataUpdatedAt, zone }) : [];
  return (
    <Card
      title={text('figures')}
      isPadded={false}
      end={
        <Segments
          label={text('figuresRange')}
          values={ranges}
          chosen={range}
          wordOf={(one) => text(`range_${one}`)}
          onChoose={choose}
        />
      }
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && <Tiles rows={rows} range={range} waiting={waiting} endpointId={endpointId} />}
      {data && <Drawings rows={rows} range={range} />}
    </Card>
  );
}

interface TilesProps {
  rows: Figures[];
  range: Range;
  waiting: number;
  endpointId: string;
}

const sumOf = (rows: Figures[], of: (row: Figures) => number) => rows.reduce((sum, row) => sum + of(row), 0);
const duration = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));

function Tiles({ rows, range, waiting, endpointId }: TilesProps) {
  const text = textsOf('webhooks');
  const attempts = sumOf(rows, (row) => row.attempts);
  const worst = text(range === 'month' ? 'worstDay' : 'worstHour');
  const dead = sumOf(rows, (row) => row.dead);
  const tiles = [
    {
      label: text('accepted'),
      value: formatShare(
        sumOf(rows, (row) => row.delivered),
        attempts,
      ),
      note: text('ofTries', { count: attempts, number: formatNumber(attempts) }),
    },
    { label: text('median'), value: duration(highest(rows.map(({ p50Ms }) => p50Ms))), note: worst },
    { label: 'p95', value: duration(highest(rows.map(({ p95Ms }) => p95Ms))), note: worst },
    {
      label: text('givenUp'),
      value: formatNumber(dead),
      note: dead > 0 && (
        <Link to="/webhooks/deliveries" search={{ endpointId, status: 'dead' }}>
          {text('showThem')}
        </Link>
      ),
    },
    {
      label: text('waiting'),
      value: formatNumber(waiting),
      note: waiting > 0 && (
        <Link to="/webhooks/deliveries" search={{ endpointId, status: 'pending' }}>
          {text('showThem')}
        </Link>
      ),
    },
  ];
  return (
    <div className="figure-tiles">
      {tiles.map(({ label, value, note }) => (
        <div key={label}>
          <div className="muted">{label}</div>
          <div className="tile-value number">{value}</div>
          <div className="note small number">{note}</div>
        </div>
      ))}
    </div>
  );
}

function Drawings({ rows, range }: { rows: Figures[]; range: Range }) {
  const text = textsOf('webhooks');
  const attempts = sumOf(rows, (row) => row.attempts);
  if (attempts === 0) return <p className="card-body muted">{text('noTries')}</p>;
  const positions = rows.map(({ at }) => labelOf[range](new Date(at)));
  const failed = sumOf(rows, (row) => row.failed);
  const slowest = highest(rows.map(({ p95Ms }) => p95Ms));
  return (
    <div className="card-body column loose">
      <Chart
        kind="stacked"
        heightPx={150}
        positions={positions}
        label={text('triesSentence', { count: formatNumber(attempts), failed: formatNumber(failed) })}
        series={[
          {
            label: text('accepted'),
            color: '--chart-delivered',
            values: rows.map(({ delivered }) => delivered),
          },
          { label: text('failed'), color: '--chart-failed', values: rows.map((row) => row.failed) },
        ]}
      />
      <Chart
        kind="lines"
        heightPx={130}
        positions={positions}
        label={text('durationSentence', { slowest: duration(slowest) })}
        series={[
          { label: text('medianMs'), color: '--chart-delivered', values: rows.map(({ p50Ms }) => p50Ms) },
          { label: text('p95Ms'), color: '--warn', values: rows.map(({ p95Ms }) => p95Ms) },
        ]}
      />
    </div>
  );
}
