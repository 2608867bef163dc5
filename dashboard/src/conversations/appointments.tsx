// The appointments of a person by their number, the latest first, and the way to book another.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Contact } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { useMay } from '../session/session.tsx';
import { civilDate } from '../text/civil.ts';
import { formatMoment, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

const shownMax = 5;

export function Appointments({ contact: { phone, name } }: { contact: Contact }) {
  const text = textsOf('conversations');
  const maySee = useMay('appointments:manage');
  const mayRead = useMay('appointments:read');
  const mayBook = useMay('appointments:book') && mayRead;
  const { data, error, refetch } = useQuery({
    queryKey: ['bookings', 'of', phone],
    queryFn: () => api.listBookings({ phoneNumber: phone ?? '', sort: '-startsAt', limit: shownMax }),
    enabled: maySee && phone !== null,
  });
  if (phone === null || !(maySee || mayBook)) return null;
  return (
    <>
      <h2>{text('appointments')}</h2>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="muted">{text('noAppointments')}</p>}
      <ul className="column">
        {data?.items.map(({ _id, startsAt, status, staffName }) => {
          const at = new Date(startsAt);
          const when = formatMoment(at);
          return (
            <li key={_id}>
              <span className="row wrap">
                {mayRead ? (
                  <Link
                    to="/appointments"
                    search={{ view: 'list', date: civilDate(at, zone), booking: _id }}
                    className="number"
                  >
                    {when}
                  </Link>
                ) : (
                  <span className="number">{when}</span>
                )}
                <StateBadge state={status} quiet />
              </span>
              <span className="small muted" dir="auto">
                {staffName}
              </span>
            </li>
          );
        })}
      </ul>
      {mayBook && (
        <Link to="/appointments/new" search={{ phone, ...(name === null ? {} : { name }) }}>
          {text('book')}
        </Link>
      )}
    </>
  );
}
