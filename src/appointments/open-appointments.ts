// What requests and workers of one process share for appointments: calendar and slot reads, batched booking steps.
import type { Clock } from '../base/clock.ts';
import type { Db } from '../db/db.ts';
import { openInFlight } from '../work/in-flight.ts';
import { openReleases } from '../work/releases.ts';
import { type BookingStepsDeps, openBookingSteps } from './booking/booking-steps.ts';
import { releaseBookings } from './booking/bookings-store.ts';
import { type BusyTimesDeps, openBusyTimes } from './calendar/busy-times.ts';
import { openReadStaffDay, openReadStaffDays } from './slots/staff-days.ts';

/** Opens what one process shares. Stop `bookingReleases` at its end. */
export function openAppointments(
  given: Omit<BookingStepsDeps, 'appointmentsInFlight' | 'readDays'> &
    BusyTimesDeps & { db: Db; clock: Clock },
) {
  const deps = { ...given, appointmentsInFlight: openInFlight(), readDays: openReadStaffDays(given) };
  const { appointmentsInFlight } = deps;
  return {
    appointmentsInFlight,
    busyTimes: openBusyTimes(deps),
    readDay: openReadStaffDay(deps),
    bookings: openBookingSteps(deps),
    bookingReleases: openReleases(deps, (ids) => releaseBookings(deps.db, ids)),
  };
}
