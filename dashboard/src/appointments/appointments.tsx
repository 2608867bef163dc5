// The calendar: a day or week of the staff, or the list of a day; beside it the booking that is open.

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Booking, StaffMember } from '../../../client/src/generated.ts';
import { Loading } from '../design/loading.tsx';
import { PageError } from '../design/page-error.tsx';
import { useNarrow } from '../design/use-narrow.ts';
import { useNow } from '../design/use-now.ts';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay } from '../session/session.tsx';
import { civilDate } from '../text/civil.ts';
import { firstWeekday, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { addressOf, type CalendarAddress, datesOf, searchOf, staffMax } from './address.ts';
import { BookingPanel } from './booking-panel.tsx';
import { StaffCut } from './cut-notes.tsx';
import { DayList } from './day-list.tsx';
import { Grid } from './grid.tsx';
import { useMove } from './move.ts';
import { NoStaff } from './no-staff.tsx';
import { bookingQuery, bookingsQuery, departmentsQuery, hiddenStaffQuery, staffQuery } from './queries.ts';
import { changeScope, isChangeable } from './state.ts';
import { Toolbar } from './toolbar.tsx';
import './appointments.css';

export function Appointments() {
  const text = textsOf('appointments');
  const navigate = useNavigate();
  const today = civilDate(new Date(useNow()), zone);
  const isNarrow = useNarrow();
  const mayChange = useMay(changeScope);
  const asked = addressOf(useSearch({ strict: false }), today);
  const address: CalendarAddress = isNarrow ? { ...asked, view: 'list' } : asked;
  const { view, date, booking: bookingId, isMoving } = address;
  const { data: listed, error, refetch } = useQuery(staffQuery(address.department));
  const { data: departments = [] } = useQuery(departmentsQuery);
  const booking = useQuery({ ...bookingQuery(bookingId ?? ''), enabled: bookingId !== undefined });
  const opened = bookingId === undefined ? undefined : booking.data;
  const dates = datesOf(view, date, firstWeekday());
  const hidden = useHiddenStaff(address, dates);
  const move = useMove(isMoving && opened && isChangeable(opened) ? opened : undefined, dates);

  const change = (next: Partial<CalendarAddress>) =>
    void navigate({ to: '/appointments', search: searchOf({ ...asked, ...next }), replace: true });
  const open = ({ _id }: Booking) => change({ booking: _id, isMoving: false });
  const close = () => {
    change({ booking: undefined, isMoving: false });
    document.querySelector<HTMLElement>(`[data-booking="${bookingId}"]`)?.focus();
  };
  const startMove = ({ _id }: Booking) => change({ booking: _id, isMoving: true });
  const leave = () => (isMoving ? change({ isMoving: false }) : close());
  usePageKeys([
    { text: 'today', run: { t: () => change({ date: today }) } },
    {
      text: 'views',
      run: {
        d: () => change({ view: 'day' }),
        w: () => change({ view: 'week' }),
        l: () => change({ view: 'list' }),
      },
    },
    {
      text: 'moveBooking',
      run: { m: opened && mayChange && isChangeable(opened) ? () => startMove(opened) : undefined },
    },
    { text: 'closeBooking', run: { Escape: bookingId === undefined ? undefined : leave } },
  ]);

  if (!listed) return error ? <PageError error={error} onRetry={() => void refetch()} /> : <Loading />;
  const staff = [...listed.items, ...hidden];
  const chosen = address.staff?.filter((id) => staff.some(({ _id }) => _id === id));
  const shown = (chosen?.length ? chosen : staff.map(({ _id }) => _id)).slice(0, staffMax[view]);
  // the list has everybody, also those who are no longer bookable, unless somebody is chosen
  const listIds = chosen?.length ? chosen : address.department ? staff.map(({ _id }) => _id) : undefined;
  const members = staff.filter(({ _id }) => shown.includes(_id));
  return (
    <div className="calendar-page">
      <h1 className="hidden-text">{text('title')}</h1>
      <Toolbar {...{ address, today, staff, shown }} onChange={change} />
      <StaffCut staff={listed} hasDepartments={departments.length > 1 && address.department === undefined} />
      <div className="calendar-body">
        {staff.length === 0 ? (
          <NoStaff />
        ) : view === 'list' ? (
          <DayList date={date} {...{ staffIds: listIds, openId: bookingId }} onOpen={open} />
        ) : (
          <Grid
            {...{ dates, today, move }}
            staff={members}
            openId={bookingId}
            mayMove={mayChange}
            onOpen={open}
            onMove={startMove}
          />
        )}
        {bookingId !== undefined && (
          <BookingPanel
            booking={booking.data}
            error={booking.error}
            member={staff.find(({ _id }) => _id === booking.data?.appointmentUserId)}
            move={move}
            onMove={() => change({ isMoving: true })}
            onMoved={(moved) => change({ isMoving: false, date: civilDate(new Date(moved.startsAt), zone) })}
            onStay={() => change({ isMoving: false })}
            onClose={close}
          />
        )}
      </div>
    </div>
  );
}

/** Those who are hidden from visitors, as far as they have appointments on these dates or were chosen. */
function useHiddenStaff({ department, staff }: CalendarAddress, dates: string[]): StaffMember[] {
  const { data: hidden = [] } = useQuery(hiddenStaffQuery(department));
  const [from = '', to = from] = [dates[0], dates.at(-1)];
  const { data } = useQuery({ ...bookingsQuery(from, to), enabled: hidden.length > 0 });
  const booked = new Set(
    data?.bookings.flatMap(({ status, startsAt, appointmentUserId }) =>
      status === 'cancelled' || !dates.includes(civilDate(new Date(startsAt), zone))
        ? []
        : [appointmentUserId],
    ),
  );
  return hidden.filter(({ _id }) => booked.has(_id) || staff?.includes(_id));
}
