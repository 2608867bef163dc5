// Mutations of staff, their locks and the time that bookings occupy.
import type { Mutation } from '../mutation.ts';

const locks = 'src/appointments/booking/locks-store.ts';
const occupancies = 'src/appointments/booking/occupancies-store.ts';
const staff = 'src/appointments/directory/store.ts';
const shared = ['test/db/booking-states.test.ts'];
const changes = ['test/api/appointments-changes.test.ts'];
const directory = ['test/api/appointments-directory.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'bookings of staff that share a calendar do not wait for each other',
    file: locks,
    find: 'and (calendar_key is null or pg_try_advisory_xact_lock(hashtextextended(calendar_key::text, 3))) as locked',
    replace: 'as locked',
    tests: shared,
  },
  {
    name: 'a change of a booking does not lock the calendar that others share',
    file: locks,
    find: 'where staff_id = ${staffId} and calendar_key is not null`.execute(tx);',
    replace: 'where staff_id = ${staffId} and false`.execute(tx);',
    tests: shared,
  },
  {
    name: 'a hold does not lock the bookings of its staff member',
    file: locks,
    find: 'select id, calendar_key, pg_try_advisory_xact_lock(hashtextextended(id, 3))\n      and (',
    replace: 'select id, calendar_key, (',
    tests: shared,
  },
  {
    name: 'a finished move keeps the old time occupied',
    file: occupancies,
    find: '/* freeCurrent */ delete from occupancies where booking_id = ${bookingId} and part',
    replace: '/* freeCurrent */ delete from occupancies where booking_id = ${bookingId} and false and part',
    tests: changes,
  },
  {
    name: 'a rejected move frees the current time of the booking',
    file: occupancies,
    find: 'delete from occupancies where booking_id = ${bookingId} and part = ${part.pending}',
    replace: 'delete from occupancies where booking_id = ${bookingId}',
    tests: [
      ...changes,
      'test/api/appointments-change-keys.test.ts',
      'test/api/appointments-transactions.test.ts',
    ],
  },
  {
    name: 'staff of another account is found',
    file: staff,
    find: 'where account_id = ${accountId} and id = ${id} and deleted_at is null`',
    replace: 'where id = ${id} and deleted_at is null`',
    tests: ['test/api/other-accounts.test.ts', ...directory],
  },
  {
    name: 'removed staff is found',
    file: staff,
    find: 'where account_id = ${accountId} and id = ${id} and deleted_at is null`',
    replace: 'where account_id = ${accountId} and id = ${id}`',
    tests: directory,
  },
  {
    name: 'a department that has staff is deleted',
    file: staff,
    find: 'where department_id = ${departmentId} and deleted_at is null`',
    replace: 'where department_id = ${departmentId} and deleted_at is not null`',
    tests: directory,
  },
  {
    name: 'staff with unfinished bookings is removed',
    file: staff,
    find: 'and (due_at is not null or (state',
    replace: 'and ((state',
    tests: ['test/db/open-bookings.test.ts'],
  },
  {
    name: 'staff with future bookings is removed',
    file: staff,
    find: 'and (due_at is not null or (state = ${confirmed} and coalesce(hand_ends_at, ends_at) > ${now}))',
    replace: 'and due_at is not null and ${now}::timestamptz is not null',
    tests: ['test/db/open-bookings.test.ts'],
  },
  {
    name: 'inactive staff is listed without being asked for',
    file: staff,
    find: 'and deleted_at is null and (active or ${filter.includeInactive})',
    replace: 'and deleted_at is null and (active or ${filter.includeInactive} or true)',
    tests: directory,
  },
];
