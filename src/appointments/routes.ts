// Routes of the appointments module: departments, staff, questions and slots for chatbots, and all other routes by group.
import { isUuid } from '../base/ids.ts';
import { SlotsQuery, SlotsResult } from '../contract/appointments.ts';
import { DepartmentItem, ListDepartmentsQuery, ListStaffQuery, StaffItem } from '../contract/directory.ts';
import { page, success } from '../contract/envelope.ts';
import { ListQuestionsQuery, QuestionItem } from '../contract/form-questions.ts';
import { pageOf, pageWindow } from '../http/paging.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import type { BookDeps } from './booking/book.ts';
import { bookingRoutes } from './booking/routes.ts';
import { type ConnectDeps, disconnectCalendar } from './calendar/connect.ts';
import { calendarRoutes } from './calendar/routes.ts';
import { directoryManageRoutes } from './directory/manage-routes.ts';
import {
  departmentItem,
  departmentNotFound,
  questionItem,
  staffItem,
  staffNotFound,
} from './directory/staff.ts';
import { allQuestions, findDepartment, findStaff, listDepartments, listStaff } from './directory/store.ts';
import { type OpenSlotsDeps, openSlotsReader } from './slots/open-slots.ts';
import { scheduleRoutes } from './slots/schedule-routes.ts';

export type AppointmentRoutesDeps = BookDeps & ConnectDeps & OpenSlotsDeps;

const config = { scope: 'appointments:read' } as const;

/** Everything under /v1/appointments, and /callbacks/calendar. */
export function appointmentRoutes(server: Server, deps: AppointmentRoutesDeps): void {
  directoryRoutes(server, deps); //   GET departments, users, form-questions
  slotsRoute(server, deps); //        GET available-slots
  bookingRoutes(server, deps); //     POST book; bookings, cancel, reschedule
  calendarRoutes(server, deps); //    ext-calendar, /callbacks/calendar
  scheduleRoutes(server, deps); //    users/:id/schedule
  directoryManageRoutes(server, {
    ...deps,
    afterStaffRemoved: async (accountId, staffId) =>
      void (await disconnectCalendar(deps, accountId, staffId)),
  });
}

function directoryRoutes(server: Server, deps: AppointmentRoutesDeps): void {
  server.get(
    '/v1/appointments/departments',
    {
      schema: {
        querystring: ListDepartmentsQuery,
        response: { 200: success(page(DepartmentItem)) },
      },
      config,
    },
    async ({ caller, query }) => {
      const filter = { includeInactive: query.includeInactive ?? false };
      const { rows, total } = await listDepartments(deps.db, caller.accountId, filter, pageWindow(query));
      return ok('Departments listed.', pageOf(rows.map(departmentItem), total, query));
    },
  );

  server.get(
    '/v1/appointments/users',
    {
      schema: {
        querystring: ListStaffQuery,
        response: { 200: success(page(StaffItem)) },
      },
      config,
    },
    async ({ caller, query }) => {
      const { departmentId, includeInactive = false } = query;
      if (departmentId !== undefined) {
        const known = isUuid(departmentId) && (await findDepartment(deps.db, caller.accountId, departmentId));
        if (!known) throw departmentNotFound();
      }
      const filter = { departmentId, includeInactive };
      const { rows, total } = await listStaff(deps.db, caller.accountId, filter, pageWindow(query));
      return ok('Staff listed.', pageOf(rows.map(staffItem), total, query));
    },
  );

  server.get(
    '/v1/appointments/form-questions',
    {
      schema: {
        querystring: ListQuestionsQuery,
        response: { 200: success(page(QuestionItem)) },
      },
      config,
    },
    async ({ caller, query }) => {
      const id = query.appointmentUserId;
      const staff = isUuid(id) ? await findStaff(deps.db, caller.accountId, id) : undefined;
      if (!staff) throw staffNotFound();
      const all = await allQuestions(deps.db, staff.id);
      const { offset, limit } = pageWindow(query);
      const rows = all.slice(offset, offset + limit);
      return ok('Form questions listed.', pageOf(rows.map(questionItem), all.length, query));
    },
  );
}

function slotsRoute(server: Server, deps: AppointmentRoutesDeps): void {
  const readSlots = openSlotsReader(deps);
  server.get(
    '/v1/appointments/available-slots',
    {
      schema: {
        querystring: SlotsQuery,
        response: { 200: success(SlotsResult) },
      },
      config,
    },
    async ({ caller, query }, reply) => {
      const { appointmentUserId: staffId, date, timezone } = query;
      const body = await readSlots({ accountId: caller.accountId, staffId, date, timezone });
      // already serialized, once for all concurrent requests
      return reply.type('application/json; charset=utf-8').send(body as never);
    },
  );
}
