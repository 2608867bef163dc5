// Routes of the appointments module, by group.
import type { Server } from '../http/request.ts';
import type { BookDeps } from './booking/book.ts';
import { bookingRoutes } from './booking/routes.ts';
import { type ConnectDeps, removeConnection } from './calendar/connect.ts';
import { calendarRoutes } from './calendar/routes.ts';
import { directoryListRoutes } from './directory/list-routes.ts';
import { directoryManageRoutes } from './directory/manage-routes.ts';
import type { OpenSlotsDeps } from './slots/open-slots.ts';
import { scheduleRoutes } from './slots/schedule-routes.ts';
import { slotsRoutes } from './slots/slots-routes.ts';

export type AppointmentRoutesDeps = BookDeps & ConnectDeps & OpenSlotsDeps;

/** Everything under /v1/appointments, and /callbacks/calendar. */
export function appointmentRoutes(server: Server, deps: AppointmentRoutesDeps): void {
  directoryListRoutes(server, deps); //   GET departments, users, form-questions
  slotsRoutes(server, deps); //           GET available-slots
  bookingRoutes(server, deps); //         POST book; bookings, cancel, reschedule
  calendarRoutes(server, deps); //        ext-calendar, /callbacks/calendar
  scheduleRoutes(server, deps); //        users/:id/schedule
  directoryManageRoutes(server, {
    ...deps,
    removeConnection: (tx, accountId, staffId) => removeConnection(deps, tx, accountId, staffId),
  });
}
