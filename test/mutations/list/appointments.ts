// Mutations of appointments.
import type { Mutation } from '../mutation.ts';

const changes = ['test/api/appointments-changes.test.ts'];
const changeKeys = ['test/api/appointments-change-keys.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a move to the time that the booking has is carried out',
    file: 'src/appointments/booking/change.ts',
    find: "      if (isAt(row, to)) return settled(tx, 'reschedule', row, input.key);\n",
    replace: '',
    tests: changes,
  },
  {
    name: 'a booking whose event was moved manually counts as being at its time',
    file: 'src/appointments/booking/booking.ts',
    find: "if (row.wish !== null || row.hand !== 'in_step') return false;",
    replace: 'if (row.wish !== null) return false;',
    tests: changes,
  },
  {
    name: 'the answer of a finished move is not stored for its keys',
    file: 'src/appointments/booking/carry-out.ts',
    find: "    if (finished) await storeChangeAnswer(tx, 'reschedule', finished);\n",
    replace: '',
    tests: changeKeys,
  },
  {
    name: 'the answer of a finished cancellation is not stored for its keys',
    file: 'src/appointments/booking/carry-out.ts',
    find: "    if (finished) await storeChangeAnswer(tx, 'cancel', finished);\n",
    replace: '',
    tests: changeKeys,
  },
  {
    name: 'a rejected change keeps its key',
    file: 'src/appointments/booking/carry-out.ts',
    find: 'await freeKeysOf(tx, row.id)',
    replace: 'undefined',
    tests: changeKeys,
  },
  {
    name: 'the keys of a move that gave way to a cancellation stay',
    file: 'src/appointments/booking/change.ts',
    find: '      await freeKeysOf(tx, id);\n',
    replace: '',
    tests: changeKeys,
  },
  {
    name: 'the key of a change is good for any booking',
    file: 'src/appointments/booking/routes.ts',
    find: '...fingerprintOf(keyedHash, { ...of, id: of.id.toLowerCase() })',
    replace: '...fingerprintOf(keyedHash, of.body)',
    tests: changeKeys,
  },
  {
    name: 'one link connects twice',
    file: 'src/appointments/calendar/consent.ts',
    find: 'if (!(await deleteOAuthState(tx, state.id))) throw used();',
    replace: 'await deleteOAuthState(tx, state.id);',
    tests: ['test/api/appointments-calendar.test.ts'],
  },
  {
    name: 'an expired link connects',
    file: 'src/appointments/calendar/consent.ts',
    find: '  if (row.expires_at.getTime() <= now) throw expired();\n',
    replace: '',
    tests: ['test/api/appointments-calendar.test.ts'],
  },
  {
    name: 'a required checkbox may stay unticked',
    file: 'src/appointments/booking/answers.ts',
    find: ' ?? unticked(question, text)',
    replace: '',
    tests: ['test/rules/booking-answers.test.ts'],
  },
  {
    name: 'calendars get a guest address that is not ASCII',
    file: 'src/appointments/booking/place.ts',
    find: 'asciiEmail(row.email)',
    replace: 'row.email',
    tests: ['test/api/appointments-book.test.ts'],
  },
  {
    name: "the rules of an object's own time zone do not count",
    file: 'src/adapters/caldav/zones.ts',
    find: '  if (defined !== null) return defined;\n',
    replace: '',
    tests: ['test/rules/caldav-doubts.test.ts'],
  },
  {
    name: 'an unknown time zone is not reported',
    file: 'src/adapters/caldav/moments.ts',
    find: "  doubts?.add({ problem: 'time_zone_unknown', message, anywhere: false });\n",
    replace: '',
    tests: ['test/rules/caldav-doubts.test.ts'],
  },
  {
    name: 'an event that is over is reported',
    file: 'src/adapters/caldav/expansion.ts',
    find: 'anywhere || busy.length > 0',
    replace: 'anywhere || busy.length >= 0',
    tests: ['test/rules/caldav-doubts.test.ts'],
  },
  {
    name: 'an end that cannot be read frees the day',
    file: 'src/adapters/caldav/moments.ts',
    find: 'stated ?? restOfDay(start)',
    replace: 'stated ?? { endOf: (_local, at) => at, longestMs: 0 }',
    tests: ['test/rules/caldav-doubts.test.ts'],
  },
  {
    name: 'a cancelled occurrence without a time stays',
    file: 'src/adapters/caldav/expansion.ts',
    find: 'if (at === undefined) return of && { event, of, at: of, andAfter: false };',
    replace: 'if (at === undefined) return undefined;',
    tests: ['test/rules/caldav-doubts.test.ts'],
  },
  {
    name: 'COUNT is counted from a later start',
    file: 'src/adapters/caldav/occurrences.ts',
    find: 'count: count === null ? null : count - passed,',
    replace: 'count,',
    tests: ['test/rules/caldav-doubts.test.ts'],
  },
  {
    name: 'a COUNT with a BYxxx part is counted in periods',
    file: 'src/adapters/caldav/occurrences.ts',
    find: 'if (period === 0 || (count !== null && Object.keys(rule.parts).length > 0))',
    replace: 'if (period === 0)',
    tests: ['test/rules/caldav-series.test.ts'],
  },
];
