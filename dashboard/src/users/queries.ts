// What the pages of staff read. Keys begin with the kinds of the event stream.
import { queryOptions } from '@tanstack/react-query';
import type { Department, StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';

const pageLength = 100;

/** All staff and departments, the inactive ones too. */
export const directoryQuery = queryOptions({
  queryKey: ['staff', 'all'],
  meta: { kinds: ['calendars'] },
  queryFn: async () => {
    const staff: StaffMember[] = [];
    const departments: Department[] = [];
    const all = { includeInactive: true, limit: pageLength };
    for await (const member of api.listStaff(all)) staff.push(member);
    for await (const department of api.listDepartments(all)) departments.push(department);
    return { staff, departments };
  },
});

export const calendarQuery = (appointmentUserId: string) =>
  queryOptions({
    queryKey: ['calendars', appointmentUserId],
    queryFn: () => api.getCalendarStatus({ appointmentUserId }),
  });
