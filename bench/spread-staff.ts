// Many staff members with bookings and busy calendars, and requests for the open slots of all of them on many dates.
import type { Account, BenchFixture } from './bench-fixture.ts';
import type { OneCall } from './callers.ts';
import { addStaff, dateIn, fillBookings, fillCalendar, type Staff } from './staff.ts';

export interface SpreadOptions {
  staff: number;
  /** Dates of each staff member that are asked for, from `firstDay` days after today. */
  days: number;
  firstDay: number;
  /** Of each staff member, every two hours from two days before `firstDay`. */
  bookings: number;
  eventsPerDay: number;
}

const dayMs = 86_400_000;

/** Adds the staff members, each with bookings and, if `withCalendars`, an own busy calendar. */
export async function addSpreadStaff(
  fixture: BenchFixture,
  account: Account,
  { staff: count, days, firstDay, bookings, eventsPerDay }: SpreadOptions,
  withCalendars: boolean,
): Promise<Staff[]> {
  const staff: Staff[] = [];
  const from = Date.now();
  for (let index = 0; index < count; index++) {
    const email = withCalendars ? `spread${index}@bench.example` : undefined;
    const member = await addStaff(fixture, account, email);
    await fillBookings(fixture, account, member, new Date(from + (firstDay - 2) * dayMs), bookings);
    staff.push(member);
  }
  const fill = async ({ email }: Staff) =>
    email && fillCalendar(fixture, email, new Date(from + firstDay * dayMs), days, eventsPerDay);
  await Promise.all(staff.map(fill));
  return staff;
}

/** One request for each staff member and date, in an order in which neighbours have neither in common. */
export function spreadCalls(
  account: Account,
  staff: readonly Staff[],
  { days, firstDay }: SpreadOptions,
): OneCall[] {
  const dates = Array.from({ length: days }, (_, index) => dateIn(firstDay + index));
  return Array.from({ length: staff.length * days }, (_, index) => {
    const member = staff[index % staff.length] as Staff;
    const date = dates[(index + Math.floor(index / staff.length)) % days];
    return {
      method: 'GET',
      path: `/v1/appointments/available-slots?appointmentUserId=${member.id}&date=${date}`,
      headers: { 'x-api-key': account.apiKey },
    };
  });
}
