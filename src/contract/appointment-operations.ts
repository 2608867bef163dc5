// The operations of departments, staff, slots and calendars.
import type { Operation } from './operation.ts';

const appointments = { tag: 'Appointments' };
const calendars = { tag: 'Calendars' };
const directory = { tag: 'Directory' };
const provider = ['provider_rejected', 'provider_unavailable'] as const;
const staff = ['appointment_user_not_found'] as const;

export const appointmentOperations: Record<string, Operation> = {
  'GET /v1/appointments/departments': {
    ...appointments,
    id: 'listDepartments',
    summary: 'List departments',
    message: 'Departments listed.',
  },
  'GET /v1/appointments/users': {
    ...appointments,
    id: 'listStaff',
    summary: 'List staff',
    description: 'The people who can be booked.',
    errors: ['department_not_found'],
    message: 'Staff listed.',
  },
  'GET /v1/appointments/form-questions': {
    ...appointments,
    id: 'listFormQuestions',
    summary: 'List form questions',
    description: 'The questions that a booking with this staff member must answer, in order.',
    errors: staff,
    message: 'Form questions listed.',
  },
  'GET /v1/appointments/available-slots': {
    ...appointments,
    id: 'listAvailableSlots',
    summary: 'List available slots',
    description:
      'Computes the open slots of one date, checking the connected calendar live. A past date or a day off returns an empty list.',
    errors: [...staff, 'calendar_not_connected', ...provider],
    message: 'Slots listed.',
  },
  'GET /v1/appointments/slots-explained': {
    ...appointments,
    id: 'explainSlots',
    summary: 'Explain the slots of a date',
    description:
      'Every step of one date, open or with all reasons why it is not, by bookings and the connected calendar as they are now. Agrees with the open slots of the date.',
    errors: [...staff, 'calendar_not_connected', ...provider],
    message: 'Slots explained.',
  },
  'GET /v1/appointments/ext-calendar/auth-url': {
    ...calendars,
    id: 'getCalendarAuthUrl',
    summary: 'Get a link that connects a calendar',
    description:
      'OAuth 2.0 with PKCE. Whoever opens the link connects their calendar to this staff member. The link is valid for one hour and one connection.',
    errors: [...staff, 'calendar_provider_not_configured'],
    message: 'Open authUrl as the owner of the calendar.',
  },
  'GET /v1/appointments/ext-calendar/status': {
    ...calendars,
    id: 'getCalendarStatus',
    summary: 'Get the status of a calendar connection',
    description:
      'Queries the calendar, so that a revoked authorization shows immediately, and lists events whose times are uncertain.',
    errors: [...staff, ...provider],
    message: 'The calendar is connected.',
  },
  'PUT /v1/appointments/users/{id}/ext-calendar': {
    ...calendars,
    id: 'connectCalendar',
    summary: 'Connect a calendar with a password, or choose the calendars that block slots',
    description: 'The gateway checks the connection before it responds.',
    errors: [...staff, 'calendar_not_connected', 'calendar_provider_not_configured', ...provider],
    message: 'The calendar is connected.',
  },
  'DELETE /v1/appointments/users/{id}/ext-calendar': {
    ...calendars,
    id: 'disconnectCalendar',
    summary: 'Disconnect a calendar',
    description: 'Revokes the authorization at the provider. The events of bookings stay in the calendar.',
    errors: staff,
    message: 'The calendar is not connected.',
  },
  'POST /v1/appointments/departments': {
    ...directory,
    id: 'createDepartment',
    summary: 'Create a department',
    message: 'Department added.',
  },
  'PATCH /v1/appointments/departments/{id}': {
    ...directory,
    id: 'updateDepartment',
    summary: 'Update a department',
    errors: ['department_not_found'],
    message: 'Department changed.',
  },
  'DELETE /v1/appointments/departments/{id}': {
    ...directory,
    id: 'deleteDepartment',
    summary: 'Delete a department',
    description: 'Returns 409 `department_in_use` while staff members belong to the department.',
    errors: ['department_not_found', 'department_in_use'],
    message: 'Department removed.',
  },
  'POST /v1/appointments/users': {
    ...directory,
    id: 'createStaffMember',
    summary: 'Create a staff member',
    description: 'Set a schedule next: without one the staff member has no slots.',
    errors: ['department_not_found'],
    message: 'Staff member added.',
  },
  'PATCH /v1/appointments/users/{id}': {
    ...directory,
    id: 'updateStaffMember',
    summary: 'Update a staff member',
    errors: [...staff, 'department_not_found'],
    message: 'Staff member changed.',
  },
  'DELETE /v1/appointments/users/{id}': {
    ...directory,
    id: 'deleteStaffMember',
    summary: 'Delete a staff member',
    description: 'Returns 409 `conflict` while the staff member has future bookings. Past bookings stay.',
    errors: staff,
    message: 'Staff member removed.',
  },
  'GET /v1/appointments/users/{id}/schedule': {
    ...directory,
    id: 'getSchedule',
    summary: 'Get a schedule',
    errors: staff,
    message: 'Schedule read.',
  },
  'PUT /v1/appointments/users/{id}/schedule': {
    ...directory,
    id: 'setSchedule',
    summary: 'Set a schedule',
    description:
      'Replaces the whole schedule. Existing bookings keep their time. Hours are local, so that they follow daylight saving time.',
    errors: staff,
    message: 'Schedule set.',
  },
  'PUT /v1/appointments/users/{id}/form-questions': {
    ...directory,
    id: 'setFormQuestions',
    summary: 'Set the form questions',
    description: 'Replaces the whole list. A question with unchanged text keeps its id.',
    errors: staff,
    message: 'Form questions replaced.',
  },
};
