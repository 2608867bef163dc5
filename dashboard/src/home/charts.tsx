// The charts of the last 24 hours or 30 days: messages by stage, failures by reason, webhooks and bookings; and what comes next.
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Overview } from '../../../client/src/generated.ts';
import { Segments } from '../design/segments.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { BookingChart } from './booking-chart.tsx';
import { FailureReasons } from './failure-reasons.tsx';
import { MessageChart } from './message-chart.tsx';
import { NextBookings } from './next-bookings.tsx';
import { type Period, periods } from './periods.ts';
import { WebhookCharts } from './webhook-charts.tsx';

export default function Charts({ bookings }: { bookings: Overview['nextBookings'] }) {
  const text = textsOf('home');
  const navigate = useNavigate();
  const maySeeMessages = useMay('messages:read');
  const maySeeWebhooks = useMay('webhooks:manage');
  const maySeeBookings = useMay('appointments:read');
  const { period: wanted } = useSearch({ strict: false }) as { period?: unknown };
  const period: Period = wanted === 'month' ? 'month' : 'day';
  const hasCharts = maySeeMessages || maySeeWebhooks || maySeeBookings;
  return (
    <>
      {hasCharts && (
        <div className="row">
          <Segments
            label={text('period')}
            values={periods}
            chosen={period}
            wordOf={(one) => text(`period_${one}`)}
            onChoose={(one) =>
              void navigate({ to: '/', search: one === 'day' ? {} : { period: one }, resetScroll: false })
            }
          />
        </div>
      )}
      <div className="columns wide-first">
        <div className="column loose">
          {maySeeMessages && <MessageChart period={period} />}
          {maySeeWebhooks && <WebhookCharts period={period} />}
          {maySeeBookings && <BookingChart period={period} />}
        </div>
        <div className="column loose">
          {maySeeMessages && <FailureReasons period={period} />}
          {bookings && <NextBookings bookings={bookings} />}
        </div>
      </div>
    </>
  );
}
