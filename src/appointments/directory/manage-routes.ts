// Routes that manage departments, staff and form questions.
import { AppointmentParams } from '../../contract/appointments.ts';
import {
  ChangeDepartmentBody,
  ChangeStaffBody,
  CreateDepartmentBody,
  CreateStaffBody,
  DepartmentItem,
  StaffItem,
} from '../../contract/directory.ts';
import { Deleted, success } from '../../contract/envelope.ts';
import { PutQuestionsBody, QuestionList } from '../../contract/form-questions.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import {
  addDepartment,
  addStaff,
  changeDepartment,
  changeStaff,
  putQuestions,
  type RemovalDeps,
  removeDepartment,
  removeStaff,
} from './manage.ts';
import { departmentItem, questionItem, staffItem } from './staff.ts';

export interface DirectoryRoutesDeps extends RemovalDeps {
  /** The configured calendar providers by name. */
  calendars: Readonly<Record<string, unknown>>;
}

const config = { scope: 'manage' } as const;
const params = AppointmentParams;

/** POST, PATCH and DELETE of departments and users, and PUT of form questions. */
export function directoryManageRoutes(server: Server, deps: DirectoryRoutesDeps): void {
  departmentRoutes(server, deps);
  staffRoutes(server, deps);

  server.put(
    '/v1/appointments/users/:id/form-questions',
    {
      schema: {
        params,
        body: PutQuestionsBody,
        response: { 200: success(QuestionList) },
      },
      config,
    },
    async ({ caller, params, body }) => {
      const rows = await putQuestions(deps, caller.accountId, params.id, body);
      return ok('Form questions replaced.', { items: rows.map(questionItem) });
    },
  );
}

function departmentRoutes(server: Server, deps: DirectoryRoutesDeps): void {
  server.post(
    '/v1/appointments/departments',
    {
      schema: {
        body: CreateDepartmentBody,
        response: { 200: success(DepartmentItem) },
      },
      config,
    },
    async ({ caller, body }) =>
      ok('Department added.', departmentItem(await addDepartment(deps, caller.accountId, body))),
  );

  server.patch(
    '/v1/appointments/departments/:id',
    {
      schema: {
        params,
        body: ChangeDepartmentBody,
        response: { 200: success(DepartmentItem) },
      },
      config,
    },
    async ({ caller, params, body }) =>
      ok(
        'Department changed.',
        departmentItem(await changeDepartment(deps, caller.accountId, params.id, body)),
      ),
  );

  server.delete(
    '/v1/appointments/departments/:id',
    {
      schema: { params, response: { 200: success(Deleted) } },
      config,
    },
    async ({ caller, params }) => {
      await removeDepartment(deps, caller.accountId, params.id);
      return ok('Department removed.', { _id: params.id });
    },
  );
}

function staffRoutes(server: Server, deps: DirectoryRoutesDeps): void {
  server.post(
    '/v1/appointments/users',
    {
      schema: {
        body: CreateStaffBody,
        response: { 200: success(StaffItem) },
      },
      config,
    },
    async ({ caller, body }) =>
      ok('Staff member added.', staffItem(await addStaff(deps, caller.accountId, body), deps.calendars)),
  );

  server.patch(
    '/v1/appointments/users/:id',
    {
      schema: {
        params,
        body: ChangeStaffBody,
        response: { 200: success(StaffItem) },
      },
      config,
    },
    async ({ caller, params, body }) =>
      ok(
        'Staff member changed.',
        staffItem(await changeStaff(deps, caller.accountId, params.id, body), deps.calendars),
      ),
  );

  server.delete(
    '/v1/appointments/users/:id',
    {
      schema: {
        params,
        response: { 200: success(Deleted) },
      },
      config,
    },
    async ({ caller, params }) => {
      await removeStaff(deps, caller.accountId, params.id);
      return ok('Staff member removed.', { _id: params.id });
    },
  );
}
