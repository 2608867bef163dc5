// The appointments of a date, of everybody, by time: the list that the front desk follows.
import IconCalendarOff from '@tabler/icons-react/dist/esm/icons/IconCalendarOff.mjs';
import { useQuery } from '@tanstack/react-query';
import type { Booking } from '../../../client/src/generated.ts';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { useNow } from '../design/use-now.ts';
import { civilDate } from '../text/civil.ts';
import { formatTimes, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { guestOf, stateOf } from './blocks.ts';
import { BookingsCut } from './cut-notes.tsx';
import { bookingsQuery } from './queries.ts';

interface Props {
  date: string;
  /** Only their appointments; undefined: everybody's. */
  staffIds: string[] | undefined;
  openId: string | undefined;
  onOpen: (booking: Booking) => void;
}

export function DayList({ date, staffIds, openId, onOpen }: Props) {
  const text = textsOf('appointments');
  const { data, error, refetch } = useQuery(
    bookingsQuery(date, date, staffIds?.length === 1 ? staffIds[0] : undefined),
  );
  const nowMs = useNow();
  // beside an open booking there is less room
  const isAside = openId !== undefined;
  const bookings = (data?.bookings ?? []).filter(
    ({ startsAt, appointmentUserId }) =>
      civilDate(new Date(startsAt), zone) === date && (staffIds?.includes(appointmentUserId) ?? true),
  );
  // another date may have earlier ones before it
  const isToday = date === civilDate(new Date(nowMs), zone);
  const isNext = (booking: Booking) =>
    isToday &&
    booking === bookings.find(({ status, endsAt }) => status === 'confirmed' && Date.parse(endsAt) > nowMs);
  return (
    <div className="day-list">
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data?.isCut && <BookingsCut />}
      {data && bookings.length === 0 && (
        <EmptyState
          icon={<IconCalendarOff size={20} aria-hidden />}
          title={text('noneOfDay')}
          text={text('noneOfDayText')}
        />
      )}
      {bookings.length > 0 && (
        <Table
          columns={[
            { label: text('time'), widthPx: 170 },
            { label: text('guest') },
            { label: text('staffMember') },
            ...(isAside ? [] : [{ label: text('phone'), widthPx: 150 }]),
            { label: text('state'), widthPx: 170 },
          ]}
        >
          {bookings.map((booking) => (
            <tr key={booking._id} className={booking._id === openId || isNext(booking) ? 'current' : ''}>
              <td className="number strong">
                {formatTimes(new Date(booking.startsAt), new Date(booking.endsAt))}
                {isNext(booking) && <span className="note"> {text('next')}</span>}
              </td>
              <td className="full">
                <button
                  type="button"
                  className="text-button cut"
                  dir="auto"
                  aria-pressed={booking._id === openId}
                  data-booking={booking._id}
                  onClick={() => onOpen(booking)}
                >
                  {guestOf(booking)}
                </button>
              </td>
              <td className="muted full" dir="auto">
                {booking.staffName}
              </td>
              {!isAside && (
                <td className="mono wide-only" dir="ltr">
                  {booking.phoneNumber}
                </td>
              )}
              <td>
                <StateBadge state={stateOf(booking)} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </div>
  );
}
