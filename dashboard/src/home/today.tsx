// The figures of today, and the next appointments.
import { Link } from '@tanstack/react-router';
import type { Overview } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { civilDate } from '../text/civil.ts';
import { formatClock, formatNumber, formatShare, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

export function Today({ overview }: { overview: Overview }) {
  const text = textsOf('home');
  const { messages, webhooks, appointments } = overview.today;
  const tiles: [label: string, value: string, note: string][] = [];
  if (messages)
    tiles.push(
      [text('sent'), formatNumber(messages.sent), text('waiting', { count: overview.queue?.waiting ?? 0 })],
      [text('delivered'), formatShare(messages.delivered, messages.sent), formatNumber(messages.delivered)],
      [text('read'), formatShare(messages.read, messages.sent), formatNumber(messages.read)],
      [text('failed'), formatNumber(messages.failed), text('optedOut', { count: messages.optedOut })],
    );
  if (webhooks) {
    const p95 = webhooks.p95Ms === null ? '–' : `${formatNumber(webhooks.p95Ms)} ms`;
    tiles.push([text('webhooks'), p95, formatShare(webhooks.delivered, webhooks.attempts)]);
  }
  if (appointments)
    tiles.push([
      text('bookings'),
      formatNumber(appointments.booked),
      text('cancelled', { count: appointments.cancelled }),
    ]);
  return (
    <>
      <section className="card tiles" aria-label={text('today')}>
        {tiles.map(([label, value, note]) => (
          <div key={label} className="tile">
            <span className="muted">{label}</span>
            <span className="tile-value number">{value}</span>
            <span className="small note number">{note}</span>
          </div>
        ))}
      </section>
      {overview.nextBookings && overview.nextBookings.length > 0 && (
        <Card title={text('next')} isPadded={false}>
          <ul>
            {overview.nextBookings.map((booking) => (
              <li key={booking._id} className="next-booking">
                <span className="number strong">{formatClock(new Date(booking.startsAt))}</span>
                <Link
                  to="/appointments"
                  search={{
                    view: 'list',
                    date: civilDate(new Date(booking.startsAt), zone),
                    booking: booking._id,
                  }}
                  className="cut grow"
                  dir="auto"
                >
                  {booking.name ?? booking.email}
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
