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
    find: 'fingerprint: fingerprintOf({ ...of, id: of.id.toLowerCase() })',
    replace: 'fingerprint: fingerprintOf(of.body)',
    tests: changeKeys,
  },
];
