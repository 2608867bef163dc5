// Bookings that the edited hours would no longer allow: they stay, and somebody should know.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Booking } from '../../../client/src/generated.ts';
import { guestOf, occupies } from '../appointments/blocks.ts';
import { openMinutes } from '../appointments/open-hours.ts';
import { bookingsQuery } from '../appointments/queries.ts';
import { ErrorNote } from '../design/messages.tsx';
import { addDays, civilDate, minuteOf } from '../text/civil.ts';
import { formatMoment, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type Draft, scheduleOf } from './schedule-draft.ts';

const daysAhead = 90;
const shownMax = 5;

/** True if the booking starts inside the hours; its end is not compared, since lengths change too. */
function isInside({ startsAt }: Booking, draft: Draft): boolean {
  const start = new Date(startsAt);
  const minute = minuteOf(start, zone);
  const open = openMinutes(scheduleOf(draft), civilDate(start, zone), zone);
  return open.some(([from, to]) => from <= minute && minute < to);
}

export function OutsideNote({
  memberId,
  draft,
  isChanged,
}: {
  memberId: string;
  draft: Draft;
  isChanged: boolean;
}) {
  const text = textsOf('users');
  const today = civilDate(new Date(), zone);
  const { data, error, refetch } = useQuery(bookingsQuery(today, addDays(today, daysAhead), memberId));
  if (!isChanged) return null;
  if (!data) return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null;
  const nowMs = Date.now();
  const outside = data.bookings.filter(
    (booking) => occupies(booking) && Date.parse(booking.endsAt) > nowMs && !isInside(booking, draft),
  );
  if (outside.length === 0) return null;
  return (
    <div className="note-box warn" role="status">
      <div className="grow">
        <div className="strong">{text('outside', { count: outside.length })}</div>
        <ul>
          {outside.slice(0, shownMax).map((booking) => (
            <li key={booking._id}>
              <Link
                to="/appointments"
                search={{
                  view: 'list',
                  date: civilDate(new Date(booking.startsAt), zone),
                  booking: booking._id,
                }}
              >
                <bdi>{guestOf(booking)}</bdi>, {formatMoment(new Date(booking.startsAt))}
              </Link>
            </li>
          ))}
        </ul>
        {outside.length > shownMax && (
          <div className="muted">{text('outsideMore', { count: outside.length - shownMax })}</div>
        )}
      </div>
    </div>
  );
}
