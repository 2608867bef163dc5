// Staff members for the appointment workloads: with opening hours, a connected and busy calendar, and bookings.
import { sql } from 'kysely';
import type { SetSchedule } from '../client/src/client.ts';
import { uuidv7 } from '../src/base/ids.ts';
import type { Account, BenchFixture } from './bench-fixture.ts';

export const schedule = {
  timezone: 'Europe/Berlin',
  slotMinutes: 30,
  bufferAfterMinutes: 5,
  minimumNoticeMinutes: 0,
  bookingWindowDays: 365,
  dailyLimit: 200,
  weekly: (['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const).map(
    (weekday) => ({
      weekday,
      from: '00:00',
      to: '24:00',
    }),
  ),
} satisfies SetSchedule;

export interface Staff {
  id: string;
  /** The calendar's account; absent for staff without a calendar. */
  email?: string;
}

/** Adds a staff member who is available around the clock; with `email`, connects that account's calendar. */
export async function addStaff(fixture: BenchFixture, account: Account, email?: string): Promise<Staff> {
  const { _id } = await account.client.createStaffMember({
    body: { name: email ?? 'Nobody', calendar: email ? 'required' : 'none' },
  });
  await account.client.setSchedule({ id: _id, body: schedule });
  if (email === undefined) return { id: _id };
  await fixture.google.putAccount({ email, name: email, timeZone: schedule.timezone });
  const { authUrl } = await account.client.getCalendarAuthUrl({ appointmentUserId: _id });
  await fixture.google.set({ account: email });
  const page = await fetch(authUrl);
  if (!page.ok) throw new Error(`the calendar of ${email} could not be connected: HTTP ${page.status}`);
  return { id: _id, email };
}

/** Inserts `count` confirmed bookings of half an hour, every two hours after `from`. */
export async function fillBookings(
  fixture: BenchFixture,
  account: Account,
  staff: Staff,
  from: Date,
  count: number,
): Promise<void> {
  const ids = Array.from({ length: count }, () => uuidv7(Date.now()));
  await sql`
    insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email, phone_number, source,
      answers, fallback_link)
    select id, ${account.accountId}, ${staff.id}, 'confirmed', begins, begins + interval '30 minutes', ${schedule.timezone},
      'guest@example.com', '15550100001', 'bench', '[]', 'https://meet.example/room'
    from unnest(${ids}::uuid[]) with ordinality x(id, n),
      lateral (select ${from}::timestamptz + n * interval '2 hours' as begins) y`.execute(fixture.db);
  await sql`
    insert into occupancies (account_id, staff_id, booking_id, part, during)
    select account_id, staff_id, id, 'kept', tstzrange(starts_at, ends_at + interval '5 minutes')
    from bookings where staff_id = ${staff.id}`.execute(fixture.db);
  await sql`analyze bookings, occupancies`.execute(fixture.db);
}

/** Adds events of a quarter of an hour to the calendar, `perDay` on each day after `from`. */
export async function fillCalendar(
  fixture: BenchFixture,
  email: string,
  from: Date,
  days: number,
  perDay: number,
): Promise<void> {
  for (let day = 0; day < days; day++) {
    for (let index = 0; index < perDay; index++) {
      const at = from.getTime() + day * 86_400_000 + (index * 86_400_000) / perDay;
      await fixture.google.addEvent(email, {
        summary: 'Busy',
        start: { dateTime: new Date(at).toISOString() },
        end: { dateTime: new Date(at + 900_000).toISOString() },
      });
    }
  }
}

/** The date `days` days from today, in the schedule's zone. */
export const dateIn = (days: number): string =>
  Temporal.Now.plainDateISO(schedule.timezone).add({ days }).toString();
