// The rows of endpoints: state, events, attempts of the last day, and what can be done.
import { Link } from '@tanstack/react-router';
import type { Endpoint, WebhookStatistics } from '../../../client/src/generated.ts';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useNow } from '../design/use-now.ts';
import { formatDuration, formatNumber, formatShare } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { EndpointActions } from './endpoint-actions.tsx';
import { type DayFigures, disabledWord, figuresOf, shortUrl, stateOf } from './endpoint-state.ts';

interface Props {
  endpoints: Endpoint[];
  /** Undefined: not known yet. */
  statistics: WebhookStatistics[] | undefined;
}

export function EndpointTable({ endpoints, statistics }: Props) {
  const text = textsOf('webhooks');
  const nowMs = useNow();
  return (
    <section className="card" aria-label={text('endpoints')}>
      <Table
        columns={[
          { label: text('endpoint') },
          { label: text('state'), widthPx: 116 },
          { label: text('events'), widthPx: 170, isExtra: true },
          { label: text('tries'), widthPx: 140, isExtra: true },
          { label: text('accepted'), widthPx: 84, isFigure: true },
          { label: text('median'), widthPx: 84, isFigure: true, isExtra: true },
          { label: 'p95', widthPx: 84, isFigure: true },
          { label: text('waiting'), widthPx: 84, isFigure: true },
          { label: text('actions'), widthPx: 206, isLabelHidden: true },
        ]}
        isTall
      >
        {endpoints.map((endpoint) => (
          <EndpointRow
            key={endpoint._id}
            endpoint={endpoint}
            state={stateOf(endpoint, nowMs)}
            figures={statistics && figuresOf(statistics, endpoint._id, nowMs)}
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
  figures: DayFigures | undefined;
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
        <div className="small note cut">
          {disabledReason && (
            <span className="bad-text">{text(`disabled_${disabledWord(disabledReason)}`)} </span>
          )}
          {state === 'resting' && restingUntil && (
            <span className="warn-text">
              {text('nextTry')} <Timestamp at={restingUntil} />{' '}
            </span>
          )}
          {!disabledReason && state !== 'resting' && failingSince && (
            <span className="warn-text">
              {text('failingSince')} <Timestamp at={failingSince} form="clock" />{' '}
            </span>
          )}
          {endpoint.rotation && <span>{text('rotating')} </span>}
          <bdi>{description}</bdi>
        </div>
      </td>
      <td>
        <StateBadge state={state} />
      </td>
      <td className="mono muted wide-only extra" title={events.join(', ')}>
        <span className="first-of">
          <span className="cut">{events[0]}</span>
          {events.length > 1 && <span>+{events.length - 1}</span>}
        </span>
      </td>
      <td className="wide-only extra">
        {figures && <Bars hours={figures.hours} label={text('triesOfDay', { count: figures.attempts })} />}
      </td>
      <td className="figure number wide-only">
        {figures ? formatShare(figures.delivered, figures.attempts) : '–'}
      </td>
      <td className="figure number muted wide-only extra">{durationOf(figures?.p50Ms)}</td>
      <td className="figure number muted wide-only">{durationOf(figures?.p95Ms)}</td>
      <td className="figure number muted wide-only">
        {endpoint.waiting === 0 ? (
          formatNumber(0)
        ) : (
          <Link
            to="/webhooks/deliveries"
            search={{ endpointId: endpoint._id, status: 'pending' }}
            className="strong"
          >
            {formatNumber(endpoint.waiting)}
          </Link>
        )}
      </td>
      <td className="full">
        <EndpointActions endpoint={endpoint} />
      </td>
    </tr>
  );
}

const durationOf = (ms: number | null | undefined): string => (ms == null ? '–' : formatDuration(ms));

const barsWidth = 116;
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
