// Mutations of the steps of a booking and of a call to the platform: what follows each outcome.
import type { Mutation } from '../mutation.ts';

const create = 'src/appointments/booking/create-event.ts';
const compensation = 'src/appointments/booking/compensate.ts';
const reconciler = 'src/appointments/booking/reconcile.ts';
const call = 'src/messaging/dispatch/call-platform.ts';
const rejection = 'src/messaging/dispatch/record-rejection.ts';
const faults = ['test/api/appointments-faults.test.ts', 'test/api/appointments-crashes.test.ts'];
const booking = ['test/api/appointments-book.test.ts', ...faults, 'test/api/appointments-races.test.ts'];
const steps = ['test/api/appointments-steps.test.ts'];
const outcomes = ['test/api/send-outcomes.test.ts', 'test/api/send-endings.test.ts'];
const rejections = ['test/api/send-rejections.test.ts', ...outcomes];

export const mutations: Mutation[] = [
  {
    name: 'a booking does not check the calendar before its event',
    file: create,
    find: '  await checkFree(deps, connection, row, requested, deadline);\n',
    replace: '',
    tests: booking,
  },
  {
    name: 'a hold that was compensated in the meantime gets an event',
    file: create,
    find: '  if (!(await deps.bookings.startInsert(row.id))) throw bookingWasCompensated();',
    replace: '  await deps.bookings.startInsert(row.id);',
    tests: steps,
  },
  {
    name: 'a hold whose calendar is busy keeps its time',
    file: create,
    find: '  await discardHold(deps, row);\n  const taken',
    replace: '  const taken',
    tests: booking,
  },
  {
    name: 'the key of a discarded hold stays',
    file: create,
    find: 'if (await deleteHold(tx, row.id)) await freeKeysOf(tx, row.id);',
    replace: 'await deleteHold(tx, row.id);',
    tests: booking,
  },
  {
    name: 'a compensation within the request does not know that the insert began',
    file: create,
    find: '{ ...row, insert_started_at: new Date(deps.clock.now()) }',
    replace: 'row',
    tests: booking,
  },
  {
    name: 'a rejected insert is compensated later instead of now',
    file: create,
    find: "    if (error.outcome === 'rejected') {\n      // certainly",
    replace: "    if (error.outcome === 'not_sent') {\n      // certainly",
    tests: booking,
  },
  {
    name: 'an insert with an unknown outcome frees the time of its booking',
    file: create,
    find: '      await startCompensation(deps.db, row.id, compensateAfterMs);\n    }\n    throw idUsedUp',
    replace: '      await endCompensation(deps, row);\n    }\n    throw idUsedUp',
    tests: booking,
  },
  {
    name: 'a used event id is not replaced',
    file: create,
    find: 'generation <= 2 &&',
    replace: 'generation <= 0 &&',
    tests: steps,
  },
  {
    name: 'an event without a meeting link is confirmed without one',
    file: create,
    find: "  if (meeting.status === 'ready') return meeting.link;\n",
    replace:
      "  if (meeting.status !== 'pending') return meeting.status === 'ready' ? meeting.link : row.fallback_link;\n",
    tests: booking,
  },
  {
    name: 'a confirmation whose response was lost is compensated',
    file: create,
    find: 'if (found?.state !== bookingState.confirmed) throw bookingWasCompensated();',
    replace: 'if (found) throw bookingWasCompensated();',
    tests: steps,
  },
  {
    name: 'a compensated booking keeps its time',
    file: compensation,
    find: '    await freeTime(tx, [row.id]);\n',
    replace: '',
    tests: booking,
  },
  {
    name: 'a compensated booking keeps its key',
    file: compensation,
    find: '    await freeKeysOf(tx, row.id);\n',
    replace: '',
    tests: booking,
  },
  {
    name: 'one removal is enough although an insert may still arrive',
    file: compensation,
    find: 'if (removal.certain || row.removed_once)',
    replace: 'if (removal.certain || row.id)',
    tests: steps,
  },
  {
    name: 'a booking whose calendar is unreachable is compensated without removing its event',
    file: compensation,
    find: 'if (row.ends_at.getTime() + giveUpMs < deps.clock.now()) return endCompensation(deps, row);',
    replace: 'if (row.id) return endCompensation(deps, row);',
    tests: steps,
  },
  {
    name: 'a failed step of the reconciler is repeated without a delay',
    file: reconciler,
    find: '    await postpone(deps.db, row.id, retryDelayMs(row.attempts));\n',
    replace: '    await postpone(deps.db, row.id, 0);\n',
    tests: steps,
  },
  {
    name: 'a hold whose event exists is compensated after a crash',
    file: reconciler,
    find: "if (event?.status === 'live' && event.bookingId === row.id) {",
    replace: "if (event?.status === 'live' && event.bookingId === '') {",
    tests: faults,
  },
  {
    name: 'a hold is compensated while its calendar cannot be read',
    file: reconciler,
    find: "if (connection === 'dead' && deps.clock.now() < row.ends_at.getTime()) throw notConnected();",
    replace: '',
    tests: steps,
  },
  {
    name: 'a call that was not sent uses up no attempt',
    file: call,
    find: 'await deps.writes.retry({ ...retryOf(message), delaySeconds, countsAttempt: true });',
    replace: 'await deps.writes.retry({ ...retryOf(message), delaySeconds, countsAttempt: false });',
    tests: rejections,
  },
  {
    name: 'a call without a response is repeated',
    file: call,
    find: "if (!(error instanceof VendorError) || error.outcome === 'unknown')\n    return leaveUnknown(deps, message, error, used);",
    replace:
      "if (!(error instanceof VendorError) || error.outcome === 'unknown')\n    return retryUnsent(deps, message);",
    tests: outcomes,
  },
  {
    name: 'a call with a replaced credential halts its sender',
    file: call,
    find: 'if (isHalt(kind) && used && (await hasNewCredential(deps, used))) return retryImmediately(deps, message);',
    replace: '',
    tests: [...rejections, 'test/api/halting-reports.test.ts', 'test/api/senders.test.ts'],
  },
  {
    name: 'a rejection that halts a sender uses up an attempt of its message',
    file: rejection,
    find: 'delaySeconds: dueAfterHaltSeconds, countsAttempt: false }',
    replace: 'delaySeconds: dueAfterHaltSeconds, countsAttempt: true }',
    tests: rejections,
  },
  {
    name: 'a message is retried without a limit',
    file: rejection,
    find: '      if (attempts >= attemptsMax(kind)) break;\n',
    replace: '',
    tests: rejections,
  },
  {
    name: 'a throttled number keeps its rate',
    file: rejection,
    find: '      await throttle(deps.db, { senderId: message.sender_id, kind, code: error.code, delaySeconds });\n',
    replace: '',
    tests: rejections,
  },
  {
    name: 'a retry comes before the time that the platform asked for',
    file: rejection,
    find: 'const delaySeconds = retryAfterSeconds ?? retryDelaySeconds(attempts, kind);',
    replace: 'const delaySeconds = retryDelaySeconds(attempts, kind);',
    tests: rejections,
  },
  {
    name: 'a message whose file or sender was removed is retried instead of failing',
    file: call,
    find: "(error.code.endsWith('_not_found') || error.code === 'media_damaged')",
    replace: "error.code === 'media_damaged'",
    tests: ['test/db/call-results.test.ts'],
  },
  {
    name: 'a limit of a business account slows down one number',
    file: 'src/messaging/senders/throttle.ts',
    find: "kind === 'throttled_account' ? await listBusinessSenders(db, senderId) : [senderId]",
    replace: '[senderId]',
    tests: ['test/db/call-results.test.ts'],
  },
];
