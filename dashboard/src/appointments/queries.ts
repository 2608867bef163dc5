// What the pages of appointments read. Keys begin with the kinds of the event stream.
import { queryOptions } from '@tanstack/react-query';
import type { Booking, ListedBooking, StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { addDays, instantOf } from '../text/civil.ts';
import { zone } from '../text/zone.ts';

const pageLength = 100;
/** More bookings of one range are not loaded; the page says so. */
export const bookingsMax = 1_000;
const pagesMax = bookingsMax / pageLength;
/** A booking that began before the range may run into it. */
const runInMs = 12 * 3_600_000;

/** The first active staff by name, and how many there are. */
export interface StaffOfCalendar {
  items: StaffMember[];
  total: number;
}

/** The staff of a department, or of all. */
export const staffQuery = (departmentId?: string) =>
  queryOptions({
    queryKey: ['staff', 'active', departmentId ?? ''],
    // staff say whether their calendar works
    meta: { kinds: ['calendars'] },
    queryFn: async (): Promise<StaffOfCalendar> => {
      const of = departmentId === undefined ? {} : { departmentId };
      const { items, pagination } = await api.listStaff({ limit: pageLength, ...of });
      return { items, total: pagination.total };
    },
    placeholderData: (before) => before,
    staleTime: 30_000,
  });

/** The staff who are hidden from visitors, and may have appointments from before; of a department, or all. */
export const hiddenStaffQuery = (departmentId?: string) =>
  queryOptions({
    queryKey: ['staff', 'hidden', departmentId ?? ''],
    queryFn: async (): Promise<StaffMember[]> => {
      const of = departmentId === undefined ? {} : { departmentId };
      const hidden: StaffMember[] = [];
      for await (const member of api.listStaff({ ...of, includeInactive: true, limit: pageLength }))
        if (!member.active) hidden.push(member);
      return hidden;
    },
    placeholderData: (before) => before,
    staleTime: 30_000,
  });

export const departmentsQuery = queryOptions({
  queryKey: ['staff', 'departments'],
  queryFn: async () => (await api.listDepartments({ limit: pageLength })).items,
  staleTime: 30_000,
});

export const bookingQuery = (id: string) =>
  queryOptions({
    queryKey: ['bookings', 'one', id],
    queryFn: () => api.getBooking({ id }),
    refetchInterval: ({ state }) => (state.data && isChanging(state.data) ? 1_000 : false),
  });

/** True while the calendar still has to follow. */
const isChanging = ({ status, pendingChange }: Booking): boolean =>
  status === 'held' || status === 'undoing' || pendingChange !== null;

/** The bookings of dates of the viewer's zone, by start; of one staff member or of all. */
export const bookingsQuery = (from: string, to: string, appointmentUserId?: string) =>
  queryOptions({
    queryKey: ['bookings', 'range', from, to, appointmentUserId ?? ''],
    queryFn: async () => {
      const range = {
        from: new Date(instantOf(from, 0, zone).getTime() - runInMs).toISOString(),
        to: instantOf(addDays(to, 1), 0, zone).toISOString(),
      };
      const who = appointmentUserId === undefined ? {} : { appointmentUserId };
      const bookings: ListedBooking[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < pagesMax; page += 1) {
        const next: { cursor?: string } = cursor === null ? {} : { cursor };
        const { items, pagination } = await api.listBookings({
          ...range,
          ...who,
          ...next,
          limit: pageLength,
          sort: 'startsAt',
        });
        bookings.push(...items);
        cursor = pagination.nextCursor;
        if (cursor === null) break;
      }
      return { bookings, isCut: cursor !== null };
    },
  });

/** The open slots of a date of the viewer's zone. */
export const slotsQuery = (appointmentUserId: string, date: string) =>
  queryOptions({
    queryKey: ['bookings', 'slots', appointmentUserId, date],
    meta: { kinds: ['staff', 'calendars'] },
    queryFn: () => api.listAvailableSlots({ appointmentUserId, date, timezone: zone }),
    staleTime: 15_000,
    // a calendar that does not answer has taken long enough
    retry: false,
  });
