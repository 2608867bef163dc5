// The figures of today: each with what it was a week ago at this time, its last days, and the page behind it.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Overview, OverviewCounts } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useMay } from '../session/session.tsx';
import { formatNumber, formatShare, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { Change } from './change.tsx';
import { weekAgo } from './periods.ts';
import { Spark } from './spark.tsx';
import { useIntervals } from './use-intervals.ts';

type Counts = NonNullable<OverviewCounts['messages']>;
type Stage = 'sent' | 'delivered' | 'read' | 'failed';
const stages: Stage[] = ['sent', 'delivered', 'read', 'failed'];
/** The list's states are the last stages of messages: those that were read are not among the delivered ones, which count here. */
const isLastStage = (stage: Stage): boolean => stage === 'read' || stage === 'failed';
const sparkDays = 14;
const readAgainMs = 60_000;

export function Today({ overview }: { overview: Overview }) {
  const text = textsOf('home');
  const maySeeMessages = useMay('messages:read');
  const mayBook = useMay('appointments:manage');
  const { messages, webhooks, appointments } = overview.today;
  return (
    <section className="card tiles" aria-label={text('today')}>
      {messages && maySeeMessages && (
        <MessageTiles counts={messages} waiting={overview.queue?.waiting ?? 0} />
      )}
      {webhooks && (
        <div className="tile">
          <span className="muted">
            <Link to="/webhooks" className="tile-link">
              {text('webhooks')}
            </Link>
          </span>
          <span className="tile-value number">
            {webhooks.p95Ms === null ? '–' : `${formatNumber(webhooks.p95Ms)} ms`}
          </span>
          <span className="small note number">
            {text('accepted', { share: formatShare(webhooks.delivered, webhooks.attempts) })}
          </span>
        </div>
      )}
      {appointments && (
        <div className="tile">
          <span className="muted">
            {mayBook ? (
              <Link to="/appointments" className="tile-link">
                {text('bookings')}
              </Link>
            ) : (
              text('bookings')
            )}
          </span>
          <span className="tile-value number">{formatNumber(appointments.booked)}</span>
          <span className="small note number">{text('cancelled', { count: appointments.cancelled })}</span>
        </div>
      )}
    </section>
  );
}

function MessageTiles({ counts, waiting }: { counts: Counts; waiting: number }) {
  const text = textsOf('home');
  const { rows: days } = useIntervals('messages', 'month', (range) => api.getMessageStatistics(range));
  const { data: before } = useQuery({
    queryKey: ['overview', 'weekAgo', zone],
    queryFn: async () => {
      const { items } = await api.getMessageStatistics({
        ...{ ...weekAgo(Date.now(), zone), interval: 'day', timezone: zone },
      });
      const sum = (stage: Stage) => items.reduce((total, item) => total + item[stage], 0);
      return { sent: sum('sent'), delivered: sum('delivered'), read: sum('read'), failed: sum('failed') };
    },
    refetchInterval: readAgainMs,
  });
  const rows = days.slice(-sparkDays);
  const notes: Record<Stage, string> = {
    sent: text('waiting', { count: waiting }),
    delivered: formatNumber(counts.delivered),
    read: formatNumber(counts.read),
    failed: text('optedOut', { count: counts.optedOut }),
  };
  return stages.map((stage) => {
    const isShare = stage === 'delivered' || stage === 'read';
    return (
      <div key={stage} className="tile">
        <span className="muted">
          <Link
            to="/messages"
            search={{ hours: 'today', ...(isLastStage(stage) ? { status: stage } : {}) }}
            className="tile-link"
          >
            {text(stage)}
          </Link>
        </span>
        <span className="row">
          <span className="tile-value number">
            {isShare ? formatShare(counts[stage], counts.sent) : formatNumber(counts[stage])}
          </span>
          <Spark values={rows.map((row) => row?.[stage] ?? 0)} isBad={stage === 'failed'} />
        </span>
        <span className="small note number">{notes[stage]}</span>
        {before && before.sent > 0 && <Change stage={stage} now={counts} before={before} />}
      </div>
    );
  });
}
