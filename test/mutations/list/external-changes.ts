// Mutations of external changes: moved and deleted events of bookings.
import type { Mutation } from '../mutation.ts';

const movedEvents = ['test/api/appointments-moved-events.test.ts'];
const changes = ['test/api/appointments-changes.test.ts'];
const missingEvents = ['test/api/appointments-missing-events.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a booking does not follow its moved event',
    file: 'src/appointments/booking/handle-moved-event.ts',
    find: "staff.on_calendar_move === 'follow' && !event.allDay",
    replace: 'false',
    tests: movedEvents,
  },
  {
    name: 'a booking follows an all-day event',
    file: 'src/appointments/booking/handle-moved-event.ts',
    find: ' && !event.allDay',
    replace: '',
    tests: movedEvents,
  },
  {
    name: 'bookings follow although their staff member keeps times',
    file: 'src/appointments/booking/handle-moved-event.ts',
    find: "staff.on_calendar_move === 'follow' && ",
    replace: '',
    tests: movedEvents,
  },
  {
    name: 'a reading older than a change of the gateway is recorded',
    file: 'src/appointments/booking/handle-moved-event.ts',
    find: 'isCurrent = row.pending_change === null && row.change_no === before.change_no;',
    replace: 'isCurrent = true;',
    tests: movedEvents,
  },
  {
    name: 'a move onto another booking takes its time',
    file: 'src/appointments/booking/handle-moved-event.ts',
    find: 'if (!conflict) await',
    replace: 'await',
    tests: movedEvents,
  },
  {
    name: 'recording an external change keeps the change number',
    file: 'src/appointments/booking/external-changes-store.ts',
    find: 'gone_at = null, wish_no = wish_no + 1',
    replace: 'gone_at = null',
    tests: ['test/api/appointments-moved-events.test.ts'],
  },
  {
    name: 'one reading without the event cancels the booking',
    file: 'src/appointments/booking/external-changes-store.ts',
    find: 'export const recheckMissingAfterMs = 60_000;',
    replace: 'export const recheckMissingAfterMs = 0;',
    tests: missingEvents,
  },
  {
    name: 'a change of an event whose booking is not confirmed yet is forgotten',
    file: 'src/appointments/booking/external-changes-store.ts',
    find: 'sql`${state.held}, ${state.confirmed}`',
    replace: 'sql`${state.confirmed}`',
    tests: ['test/api/appointments-early-changes.test.ts'],
  },
  {
    name: 'a booking that is not confirmed yet counts as read',
    file: 'src/appointments/booking/read-event.ts',
    find: ' || booking.state === bookingState.held)',
    replace: ')',
    tests: ['test/api/appointments-early-changes.test.ts'],
  },
  {
    name: "occurrences of a booking's own series block its new time",
    file: 'src/adapters/google/busy-times.ts',
    find: '(event.recurringEventId ?? event.id) === except.eventId',
    replace: 'event.id === except.eventId',
    tests: ['test/api/appointments-moved-events.test.ts'],
  },
  {
    name: 'an unreadable calendar cancels its bookings',
    file: 'src/appointments/booking/calendar-sync.ts',
    find: 'const { events } = await readChanges(deps, connection, null);',
    replace:
      'const { events } = await readChanges(deps, connection, null).catch(() => ({ events: [] as CalendarEvent[] }));',
    tests: missingEvents,
  },
  {
    name: 'an event that may not be read counts as missing',
    file: 'src/appointments/booking/read-event.ts',
    find: "'unreadable' : 'unknown'",
    replace: "'missing' : 'unknown'",
    tests: missingEvents,
  },
  {
    name: 'during an outage, events count as missing',
    file: 'src/appointments/booking/calendar-sync.ts',
    find: "if (checked.some(({ result }) => result === 'unknown')) return [];",
    replace: '',
    tests: missingEvents,
  },
  {
    name: 'a mass deletion cancels bookings',
    file: 'src/appointments/booking/handle-missing-events.ts',
    find: "on_calendar_delete === 'cancel' && !isMass ?",
    replace: "on_calendar_delete === 'cancel' ?",
    tests: missingEvents,
  },
  {
    name: 'bookings that the staff member keeps are cancelled',
    file: 'src/appointments/booking/handle-missing-events.ts',
    find: "(row: BookingRow) => on_calendar_delete === 'cancel' && !isOver(row, now);",
    replace: '(row: BookingRow) => !isOver(row, now);',
    tests: missingEvents,
  },
  {
    name: 'an event in another calendar of the connection counts as missing',
    file: 'src/appointments/booking/calendar-sync.ts',
    find: 'result.bookingId === booking.id) return true;',
    replace: 'false) return true;',
    tests: missingEvents,
  },
  {
    name: "a lookup in someone else's calendar disconnects the staff member",
    file: 'src/adapters/google/events.ts',
    find: 'throw isOwn(attempt, ref.calendarId) ? error : foreignCalendar(error);',
    replace: 'throw error;',
    tests: ['test/api/appointments-missing-events.test.ts'],
  },
  {
    name: 'a booking whose event was moved to later counts as ended',
    file: 'src/appointments/booking/booking-to-change.ts',
    find: "if (!isOver(row, deps.clock.now()) || (await syncEvent(deps, row)) !== 'recorded') return row;",
    replace: 'if (row.id) return row;',
    tests: changes,
  },
  {
    name: "a kept booking ends at its own time instead of its event's",
    file: 'src/appointments/booking/booking.ts',
    find: 'return (row.event_ends_at ?? row.ends_at).getTime() <= now;',
    replace: 'return row.ends_at.getTime() <= now;',
    tests: changes,
  },
  {
    name: 'a dead connection is reported at every use',
    file: 'src/appointments/calendar/connections-store.ts',
    find: 'where id = ${id} and dead_at is null returning *',
    replace: 'where id = ${id} returning *',
    tests: ['test/api/appointments-calendar.test.ts'],
  },
  {
    name: 'a booking whose event goes missing soon after a mass deletion is cancelled',
    file: 'src/appointments/booking/handle-missing-events.ts',
    find: ' || (isRecent && future.length > 0)',
    replace: '',
    tests: missingEvents,
  },
  {
    name: 'a booking whose event went missing just before a mass deletion is cancelled',
    file: 'src/appointments/booking/external-changes-store.ts',
    find: 'update bookings set gone_at = null where staff_id = ${staffId} and gone_at is not null',
    replace: 'update bookings set gone_at = gone_at where staff_id = ${staffId} and gone_at is not null',
    tests: missingEvents,
  },
];
