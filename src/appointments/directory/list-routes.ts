// Routes that list departments, staff and form questions for chatbots.
import { isUuid } from '../../base/ids.ts';
import { DepartmentItem, ListDepartmentsQuery, ListStaffQuery, StaffItem } from '../../contract/directory.ts';
import { page, success } from '../../contract/envelope.ts';
import { ListQuestionsQuery, QuestionItem } from '../../contract/form-questions.ts';
import type { Db } from '../../db/db.ts';
import { pageOf, pageWindow } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { requireStaff } from './find-staff.ts';
import { departmentItem, departmentNotFound, questionItem, staffItem } from './staff.ts';
import { allQuestions, findDepartment, listDepartments, listStaff } from './store.ts';

const config = { scope: 'appointments:read' } as const;

/** GET /v1/appointments/departments, users and form-questions. */
export function directoryListRoutes(
  server: Server,
  deps: { db: Db; calendars: Readonly<Record<string, unknown>> },
): void {
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
      const items = rows.map((row) => staffItem(row, deps.calendars));
      return ok('Staff listed.', pageOf(items, total, query));
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
      const staff = await requireStaff(deps.db, caller.accountId, query.appointmentUserId);
      const all = await allQuestions(deps.db, staff.id);
      const { offset, limit } = pageWindow(query);
      const rows = all.slice(offset, offset + limit);
      return ok('Form questions listed.', pageOf(rows.map(questionItem), all.length, query));
    },
  );
}
