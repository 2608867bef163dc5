// Mutations of the states of bookings.
import type { Mutation } from '../mutation.ts';

const states = ['test/db/booking-states.test.ts'];
const holds = 'src/appointments/booking/holds-store.ts';
const changes = 'src/appointments/booking/pending-changes-store.ts';
const bookings = 'src/appointments/booking/bookings-store.ts';

export const mutations: Mutation[] = [
  {
    name: 'a compensating hold is confirmed',
    file: holds,
    find: 'where b.id = x.id and b.state = ${state.held} returning b.*',
    replace: 'where b.id = x.id and b.state in (${state.held}, ${state.compensating}) returning b.*',
    tests: states,
  },
  {
    name: 'an insert begins for a booking that is no longer held',
    file: holds,
    find: 'where id = any(${[...ids]}::uuid[]) and state = ${state.held} and not',
    replace: 'where id = any(${[...ids]}::uuid[]) and not',
    tests: states,
  },
  {
    name: 'a booking without an event moves to a time that is busy in the calendar',
    file: 'src/appointments/booking/apply-change.ts',
    find: 'await checkFree(deps, live, row, deadline);',
    replace: '',
    tests: ['test/api/appointments-later-calendar.test.ts'],
  },
  {
    name: 'a booking that is no longer held takes another event id',
    file: holds,
    find: 'and state = ${state.held} and event_generation',
    replace: 'and event_generation',
    tests: states,
  },
  {
    name: 'a hold whose insert has begun is deleted',
    file: holds,
    find: ' and insert_started_at is null',
    replace: '',
    tests: states,
  },
  {
    name: 'a confirmed booking is compensated',
    file: holds,
    find: 'and state in (${state.held}, ${state.compensating}) returning 1',
    replace: 'returning 1',
    tests: states,
  },
  {
    name: 'a move starts for a newer change',
    file: changes,
    find: 'where id = ${id} and wish = ${change.move} and wish_no = ${change_no} returning 1',
    replace: 'where id = ${id} and wish = ${change.move} returning 1',
    tests: states,
  },
  {
    name: 'an older move finishes a newer one',
    file: changes,
    find: 'and wish = ${change.move} and wish_no = ${change_no}\n    returning *',
    replace: 'and wish = ${change.move}\n    returning *',
    tests: states,
  },
  {
    name: 'an older change drops a newer one',
    file: changes,
    find: 'and wish_no = ${change_no} and wish is not null',
    replace: 'and wish is not null',
    tests: states,
  },
  {
    name: 'an older cancellation finishes a newer one',
    file: changes,
    find: 'and wish = ${change.cancel} and wish_no = ${change_no}',
    replace: 'and wish = ${change.cancel}',
    tests: states,
  },
  {
    name: 'a cancellation finishes a move',
    file: changes,
    find: 'and wish = ${change.cancel} and wish_no = ${change_no}',
    replace: 'and wish_no = ${change_no}',
    tests: states,
  },
  {
    name: 'the event of another booking confirms a hold',
    file: 'src/appointments/booking/reconcile.ts',
    find: ' && event.bookingId === row.id',
    replace: '',
    tests: ['test/api/appointments-crashes.test.ts'],
  },
  {
    name: 'a hold takes another event id twice',
    file: holds,
    find: ' and event_generation = ${event.generation - 1}\n',
    replace: '\n',
    tests: states,
  },
  {
    name: 'a booking that is confirmed is compensated',
    file: holds,
    find: "due_at = now() + ${dueMs} * interval '1 millisecond'\n    where id = ${id} and state = ${state.held}`",
    replace: "due_at = now() + ${dueMs} * interval '1 millisecond'\n    where id = ${id}`",
    tests: states,
  },
  {
    name: 'a booking that is not compensating is due again after a removal',
    file: holds,
    find: 'where id = ${id} and state = ${state.compensating}`.execute(db);',
    replace: 'where id = ${id}`.execute(db);',
    tests: states,
  },
  {
    name: 'a booking is leased while another process works on it',
    file: bookings,
    find: 'where id = ${id} and due_at <= now() and not',
    replace: 'where id = ${id} and not',
    tests: states,
  },
  {
    name: 'a claim takes bookings that are leased',
    file: bookings,
    find: 'from bookings where due_at <= now() and not',
    replace: 'from bookings where due_at is not null and not',
    tests: states,
  },
  {
    name: 'a claim waits for bookings that another process has locked',
    file: bookings,
    find: 'limit ${limit}\n      for update skip locked)',
    replace: 'limit ${limit}\n      for update)',
    tests: states,
  },
  {
    name: 'a finished booking becomes due again',
    file: bookings,
    find: 'where id = ${id} and due_at is not null`.execute(db);',
    replace: 'where id = ${id}`.execute(db);',
    tests: states,
  },
  {
    name: 'a released lease makes a finished booking due',
    file: bookings,
    find: 'where id = any(${ids}::uuid[]) and due_at is not null`.execute(db);',
    replace: 'where id = any(${ids}::uuid[])`.execute(db);',
    tests: states,
  },
  {
    name: 'a booking that is not confirmed gets a pending cancellation',
    file: changes,
    find: "${noTime}, attempts = 0, due_at = now() + ${leaseMs} * interval '1 millisecond'\n    where id = ${id} and state = ${state.confirmed} returning *",
    replace:
      "${noTime}, attempts = 0, due_at = now() + ${leaseMs} * interval '1 millisecond'\n    where id = ${id} returning *",
    tests: states,
  },
  {
    name: 'a new pending change has the number of the last one',
    file: changes,
    find: 'wish = ${change.move}, wish_no = wish_no + 1,',
    replace: 'wish = ${change.move},',
    tests: states,
  },
  {
    name: 'a cancellation has the number of the move that it replaces',
    file: changes,
    find: 'wish = ${change.cancel}, wish_no = wish_no + 1,',
    replace: 'wish = ${change.cancel},',
    tests: states,
  },
  {
    name: 'a booking without a pending change is leased for one',
    file: changes,
    find: 'where id = ${id} and wish is not null`.execute(tx);',
    replace: 'where id = ${id}`.execute(tx);',
    tests: states,
  },
];
