// How a template does: the messages of the last 30 days by stage, and how many were read.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MessageStatistics } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { Chart } from '../design/chart.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { formatDay, formatNumber, formatShare, zone } from '../text/format.ts';
import { intervalsOf, rowsOf } from '../text/intervals.ts';
import { textsOf } from '../text/texts.ts';
import { statisticsQuery } from './figures.ts';

const stages = ['sent', 'delivered', 'read', 'failed'] as const;
type Stage = (typeof stages)[number];

/** The counts of the template by day, also of days without any. */
function byDay(items: readonly MessageStatistics[], templateId: string, nowMs: number) {
  const own = items.filter((item) => item.templateId === templateId);
  const { starts } = intervalsOf('month', nowMs, zone);
  return rowsOf(own, starts).map((row, index) => {
    const counts = Object.fromEntries(stages.map((stage) => [stage, row?.[stage] ?? 0]));
    return { label: formatDay(new Date(starts[index] ?? 0)), ...(counts as Record<Stage, number>) };
  });
}

export function Statistics({ templateId }: { templateId: string }) {
  const text = textsOf('templates');
  const { data, error, refetch, dataUpdatedAt } = useQuery(statisticsQuery);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const rows = byDay(data.items, templateId, dataUpdatedAt);
  const total = (stage: Stage) => rows.reduce((sum, row) => sum + row[stage], 0);
  const tiles: { stage: Stage; share: string }[] = [
    { stage: 'sent', share: '' },
    { stage: 'delivered', share: formatShare(total('delivered'), total('sent')) },
    { stage: 'read', share: formatShare(total('read'), total('sent')) },
    { stage: 'failed', share: formatShare(total('failed'), total('sent') + total('failed')) },
  ];
  return (
    <>
      <section className="card stage-tiles" aria-label={text('lastDays')}>
        {tiles.map(({ stage, share }) => (
          <div key={stage}>
            <div className="muted">{text(`count_${stage}`)}</div>
            <div className="figure-value number">{formatNumber(total(stage))}</div>
            <div className="note small number">{share}</div>
          </div>
        ))}
      </section>
      <Card
        title={text('byDay')}
        note={text('lastDays')}
        end={
          <Link to="/messages" search={{ templateId }}>
            {text('itsMessages')}
          </Link>
        }
      >
        <Chart
          kind="lines"
          positions={rows.map(({ label }) => label)}
          series={[
            {
              label: text('count_sent'),
              color: '--ink3',
              values: rows.map(({ sent }) => sent),
              dashed: true,
            },
            {
              label: text('count_delivered'),
              color: '--chart-delivered',
              values: rows.map((row) => row.delivered),
            },
            { label: text('count_read'), color: '--chart-read', values: rows.map(({ read }) => read) },
            {
              label: text('count_failed'),
              color: '--chart-failed',
              values: rows.map(({ failed }) => failed),
            },
          ]}
          heightPx={200}
          label={text('byDaySentence', {
            count: formatNumber(total('sent')),
            share: formatShare(total('read'), total('sent')),
          })}
        />
      </Card>
    </>
  );
}
