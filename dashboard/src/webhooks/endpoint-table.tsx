// The rows of endpoints: state, events, attempts of the last day, and what can be done.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Endpoint, TestResult, WebhookStatistics } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { formatDuration, formatNumber, formatShare } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type DayFigures, figuresOf, shortUrl, stateOf } from './endpoint-state.ts';

interface Props {
  endpoints: Endpoint[];
  statistics: WebhookStatistics[];
}

export function EndpointTable({ endpoints, statistics }: Props) {
  const text = textsOf('webhooks');
  const nowMs = useNow();
  return (
    <section className="card" aria-label={text('endpoints')}>
      <Table
        columns={[
          { label: text('endpoint') },
          { label: text('state'), widthPx: 130 },
          { label: text('events'), widthPx: 180 },
          { label: text('tries'), widthPx: 150 },
          { label: text('accepted'), widthPx: 90, isFigure: true },
          { label: 'p95', widthPx: 90, isFigure: true },
          { label: text('waiting'), widthPx: 90, isFigure: true },
          { label: text('actions'), widthPx: 200, isLabelHidden: true },
        ]}
        isTall
      >
        {endpoints.map((endpoint) => (
          <EndpointRow
            key={endpoint._id}
            endpoint={endpoint}
            state={stateOf(endpoint, nowMs)}
            figures={figuresOf(statistics, endpoint._id, nowMs)}
          />
        ))}
      </Table>
    </section>
  );
}

function EndpointRow({
  endpoint,
  state,
  figures,
}: {
  endpoint: Endpoint;
  state: string;
  figures: DayFigures;
}) {
  const { url, description, events, failingSince, disabledReason, restingUntil } = endpoint;
  const text = textsOf('webhooks');
  return (
    <tr>
      <td>
        <div className="cut strong" dir="ltr" title={url}>
          <Link
            to="/webhooks/endpoints/$id"
            params={{ id: endpoint._id }}
            className="cell-link"
            data-row-link
          >
            {shortUrl(url)}
          </Link>
        </div>
        <div className="small note cut" dir="auto">
          {description}
          {endpoint.rotation && <span> {text('rotating')}</span>}
          {disabledReason && <span className="bad-text"> {disabledReason}</span>}
          {state === 'resting' && restingUntil && (
            <span>
              {' '}
              {text('nextTry')} <Timestamp at={restingUntil} />
            </span>
          )}
          {!disabledReason && failingSince && (
            <span className="warn-text">
              {' '}
              {text('failingSince')} <Timestamp at={failingSince} form="clock" />
            </span>
          )}
        </div>
      </td>
      <td>
        <StateBadge state={state} />
      </td>
      <td className="mono muted wide-only" title={events.join(', ')}>
        {events[0]}
        {events.length > 1 && ` +${events.length - 1}`}
      </td>
      <td className="wide-only">
        <Bars hours={figures.hours} label={text('triesOfDay', { count: figures.attempts })} />
      </td>
      <td className="figure number wide-only">{formatShare(figures.delivered, figures.attempts)}</td>
      <td className="figure number muted wide-only">
        {figures.p95Ms === null ? '–' : formatDuration(figures.p95Ms)}
      </td>
      <td className={`figure number wide-only ${endpoint.waiting > 0 ? 'strong' : 'muted'}`}>
        {formatNumber(endpoint.waiting)}
      </td>
      <td className="full">
        <EndpointActions endpoint={endpoint} />
      </td>
    </tr>
  );
}

const barsWidth = 124;
const barsHeight = 24;

/** Attempts by hour; red where most failed. */
function Bars({ hours, label }: { hours: DayFigures['hours']; label: string }) {
  const most = Math.max(1, ...hours.map(({ attempts }) => attempts));
  const step = barsWidth / hours.length;
  return (
    <svg width={barsWidth} height={barsHeight} role="img" aria-label={label} className="bars">
      {hours.map(({ attempts, isBad }, index) => {
        const height = attempts === 0 ? 1 : Math.max(2, (attempts / most) * barsHeight);
        const x = index * step;
        return (
          <rect
            key={x}
            x={x}
            y={barsHeight - height}
            width={step - 1.4}
            height={height}
            rx="1"
            fill={`var(--chart-${isBad ? 'failed' : attempts === 0 ? 'waiting' : 'delivered'})`}
          />
        );
      })}
    </svg>
  );
}

function EndpointActions({ endpoint: { _id: id, status } }: { endpoint: Endpoint }) {
  const text = textsOf('webhooks');
  const queries = useQueryClient();
  const mayManage = useMay('manage');
  const [result, setResult] = useState<TestResult>();
  const changed = () => queries.invalidateQueries({ queryKey: ['endpoints'] });
  const test = useMutation({ mutationFn: () => api.testEndpoint({ id }), onSuccess: setResult });
  const next = status === 'active' ? 'paused' : 'active';
  const change = useMutation({
    mutationFn: () => api.updateEndpoint({ id, body: { status: next } }),
    onSuccess: changed,
  });
  const error = test.error ?? change.error;
  return (
    <div className="column">
      <div className="row wrap">
        <Button isBusy={test.isPending} onClick={() => test.mutate()}>
          {text('test')}
        </Button>
        {mayManage && (
          <Button kind="quiet" isBusy={change.isPending} onClick={() => change.mutate()}>
            {text(next === 'paused' ? 'pause' : 'activate')}
          </Button>
        )}
      </div>
      <span role="status" className="small">
        {result && (
          <>
            <StateBadge state={result.delivered ? 'delivered' : 'failed'} quiet />{' '}
            {result.statusCode ?? result.failure} {formatDuration(result.durationMs)}
          </>
        )}
      </span>
      {error && <ErrorNote error={error} />}
    </div>
  );
}
