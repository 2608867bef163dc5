// Routes that read and set the schedules of staff.
import { audit } from '../../audit/store.ts';
import { invalidRequest } from '../../base/errors.ts';
import { AppointmentParams } from '../../contract/appointments.ts';
import { success } from '../../contract/envelope.ts';
import { PutScheduleBody, ScheduleItem } from '../../contract/schedules.ts';
import type { Db } from '../../db/db.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { requireStaff } from '../directory/find-staff.ts';
import { staffNotFound } from '../directory/staff.ts';
import { scheduleItem, scheduleProblems, scheduleRow } from './schedule.ts';
import { updateSchedule } from './store.ts';

const config = { scope: 'manage' } as const;
/** GET and PUT /v1/appointments/users/:id/schedule. */
export function scheduleRoutes(server: Server, deps: { db: Db }): void {
  server.get(
    '/v1/appointments/users/:id/schedule',
    {
      schema: {
        params: AppointmentParams,
        response: { 200: success(ScheduleItem) },
      },
      config,
    },
    async ({ caller, params }) => {
      const staff = await requireStaff(deps.db, caller.accountId, params.id);
      return ok('Schedule read.', scheduleItem(staff));
    },
  );

  server.put(
    '/v1/appointments/users/:id/schedule',
    {
      schema: {
        params: AppointmentParams,
        body: PutScheduleBody,
        response: { 200: success(ScheduleItem) },
      },
      config,
    },
    async ({ caller, params, body }) => {
      const row = scheduleRow(body);
      const problems = scheduleProblems(body);
      await requireStaff(deps.db, caller.accountId, params.id);
      if (problems.length > 0) throw invalidRequest(problems);
      await deps.db.transaction().execute(async (tx) => {
        if (!(await updateSchedule(tx, caller.accountId, params.id, row))) throw staffNotFound();
        await audit(tx, caller.accountId, 'staff.schedule_set', params.id, { ...body });
      });
      return ok('Schedule set.', scheduleItem(row));
    },
  );
}
