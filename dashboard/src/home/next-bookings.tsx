// The next appointments, whoever they are with.
import { Link } from '@tanstack/react-router';
import type { ListedBooking } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { civilDate } from '../text/civil.ts';
import { zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

export function NextBookings({ bookings }: { bookings: ListedBooking[] }) {
  const text = textsOf('home');
  const mayOpen = useMay('appointments:read');
  return (
    <Card
      title={text('next')}
      isPadded={false}
      end={
        mayOpen && (
          <Link to="/appointments" search={{ view: 'list' }}>
            {text('today')}
          </Link>
        )
      }
    >
      {bookings.length === 0 && <p className="card-body muted">{text('noNext')}</p>}
      <ul>
        {bookings.map(({ _id, startsAt, name, email, staffName }) => (
          <li key={_id} className="next-booking">
            <span className="strong next-time">
              <Timestamp at={startsAt} form="clock" />
            </span>
            {mayOpen ? (
              <Link
                to="/appointments"
                search={{ view: 'list', date: civilDate(new Date(startsAt), zone), booking: _id }}
                className="cut grow"
                dir="auto"
              >
                {name ?? email}
              </Link>
            ) : (
              <span className="cut grow" dir="auto">
                {name ?? email}
              </span>
            )}
            <span className="cut muted" dir="auto">
              {staffName}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
