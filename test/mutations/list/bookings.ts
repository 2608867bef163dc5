// Mutations of the states of bookings.
import type { Mutation } from '../mutation.ts';

const states = ['test/db/booking-states.test.ts'];
const holds = 'src/appointments/booking/holds-store.ts';
const changes = 'src/appointments/booking/pending-changes-store.ts';

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
    find: 'where id = any(${[...ids]}::uuid[]) and state = ${state.held} returning *',
    replace: 'where id = any(${[...ids]}::uuid[]) returning *',
    tests: states,
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
    tests: ['test/api/appointments-deaths.test.ts'],
  },
];
