// Mutations of shared calendars.
import type { Mutation } from '../mutation.ts';

const races = ['test/api/appointments-shared-calendars.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'holds occupy no time in a shared calendar',
    file: 'src/appointments/booking/holds-store.ts',
    find: 'select account_id, staff_id, calendar_key, id,',
    replace: 'select account_id, staff_id, null::uuid, id,',
    tests: races,
  },
  {
    name: 'slots ignore the holds of other staff in the same calendar',
    file: 'src/appointments/slots/staff-days-store.ts',
    find: 'where calendar_key = c.calendar_key and',
    replace: 'where calendar_key = c.calendar_key and false and',
    tests: races,
  },
  {
    name: 'a move ignores the holds of other staff in the same calendar',
    file: 'src/appointments/slots/store.ts',
    find: 'where c.staff_id = ${of.staffId} and s.calendar = ${required})',
    replace: 'where false)',
    tests: races,
  },
  {
    name: 'a booking in a former calendar is changed in the new one',
    file: 'src/appointments/booking/booking-calendar.ts',
    find: 'if (!keys.includes(null) && keys[0] !== keys[1]) return',
    replace: 'if (false) return',
    tests: ['test/api/appointments-changes.test.ts'],
  },
  {
    name: 'a calendar connected by another account counts as another calendar',
    file: 'src/adapters/caldav/verify-calendar.ts',
    find: 'return index < 0 ? null : index;',
    replace: 'return null;',
    tests: ['test/api/appointments-caldav.test.ts'],
  },
  {
    name: 'an empty response to an insert counts as a rejection',
    file: 'src/adapters/google/events.ts',
    find: "if (event.eventId !== '') return event;",
    replace: 'return event;',
    tests: ['test/ports/google-failures.test.ts'],
  },
  {
    name: 'an event with a control character closes its calendar',
    file: 'src/adapters/caldav/multistatus.ts',
    find: 'if (allowed === text) throw error;',
    replace: 'throw error;',
    tests: ['test/ports/caldav.test.ts'],
  },
  {
    name: 'an outage of Google that rejects new tokens disconnects staff',
    file: 'src/adapters/google/client.ts',
    find: "{ code: 'new_token_rejected',",
    replace: "{ code: 'invalid_grant',",
    tests: ['test/ports/google.test.ts'],
  },
  {
    name: 'control characters of guests reach a CalDAV server',
    file: 'src/adapters/caldav/event-ics.ts',
    find: ".replace(/[^\\P{Cc}\\t\\n]/gu, ' ')",
    replace: '',
    tests: ['test/ports/caldav.test.ts'],
  },
  {
    name: 'another spelling of an address counts as another calendar',
    file: 'src/adapters/caldav/identity.ts',
    find: '.replace(/%[0-9a-f]{2}/gi, decoded)',
    replace: '',
    tests: ['test/db/shared-calendars.test.ts'],
  },
  {
    name: 'existing overlaps stop the migration',
    file: 'migrations/0008_shared_calendars.sql',
    find: 'where calendar_key is not null and exists (',
    replace: 'where false and exists (',
    tests: ['test/db/shared-calendars.test.ts'],
  },
  {
    name: "conflicts of a moved event are checked in the staff member's present calendar only",
    file: 'src/appointments/booking/handle-moved-event.ts',
    find: 'staffId, calendarKey, except',
    replace: 'staffId, except',
    tests: ['test/api/appointments-moved-events.test.ts'],
  },
  {
    name: 'bookings of a calendar keep its former address',
    file: 'src/appointments/calendar/connections-store.ts',
    find: 'and calendar_id <> ${connection.calendar_id}',
    replace: 'and false',
    tests: ['test/api/appointments-caldav.test.ts'],
  },
  {
    name: 'a move to the present time succeeds although the event is missing',
    file: 'src/appointments/booking/reschedule.ts',
    find: "=== 'missing')",
    replace: '=== null)',
    tests: ['test/api/appointments-changes.test.ts'],
  },
  {
    name: 'an event whose assigned id was not stored counts as absent',
    file: 'src/appointments/booking/booking-calendar.ts',
    find: 'return calendar.eventIds.find(credential, { calendarId, bookingId }, limits);',
    replace: 'return Promise.resolve(null);',
    tests: ['test/api/appointments-assigned-ids.test.ts'],
  },
  {
    name: 'the id that a provider assigned is not stored',
    file: 'src/appointments/booking/holds-store.ts',
    find: 'event_id = x.event_id, ',
    replace: '',
    tests: ['test/api/appointments-assigned-ids.test.ts'],
  },
];
