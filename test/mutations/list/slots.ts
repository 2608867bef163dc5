// Mutations of the slots engine.
import type { Mutation } from '../mutation.ts';

const engine = 'src/appointments/slots/engine.ts';
const wallTime = 'src/appointments/slots/wall-time.ts';
const slots = [
  'test/rules/slots.test.ts',
  'test/rules/slots-clocks.test.ts',
  'test/rules/slots-scan.test.ts',
];

const remembered = ['test/api/appointments-slots.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a remembered schedule is used after it changed',
    file: 'src/appointments/slots/staff-days.ts',
    find: 'if (found.version === of.version)',
    replace: 'if (found.version)',
    tests: remembered,
  },
  {
    name: 'a remembered calendar connection is used after it changed',
    file: 'src/appointments/slots/staff-days-store.ts',
    find: "concat_ws('/', s.xmin, c.xmin,",
    replace: "concat_ws('/', s.xmin,",
    tests: remembered,
  },
  {
    name: 'a schedule stays remembered when the server restarts with an older state',
    file: 'src/appointments/slots/staff-days-store.ts',
    find: ", date_part('epoch', pg_postmaster_start_time()))`;",
    replace: ')`;',
    tests: remembered,
  },
  {
    name: 'bookings before the date do not count',
    file: 'src/appointments/slots/day-window.ts',
    find: 'from: starts.from - terms.bufferBeforeMinutes * minuteMs,',
    replace: 'from: starts.from,',
    tests: slots,
  },
  {
    name: 'bookings after the last start of the date do not count',
    file: 'src/appointments/slots/day-window.ts',
    find: 'to: starts.to + (terms.slotMinutes + terms.bufferAfterMinutes) * minuteMs,',
    replace: 'to: starts.to,',
    tests: slots,
  },
  {
    name: 'the daily limit counts the requested date of another zone',
    file: 'src/appointments/slots/day-window.ts',
    find: 'counted: outline(counted) ?? starts,',
    replace: 'counted: starts,',
    tests: slots,
  },
  {
    name: 'the daily limit counts one local date only',
    file: 'src/appointments/slots/day-window.ts',
    find: '(Math.max(...days) + 1) * dayMs',
    replace: '(Math.min(...days) + 1) * dayMs',
    tests: slots,
  },
  {
    name: 'a slot is chosen by its start alone',
    file: engine,
    find: 'shown(start) === from && shown(start + lengthMs) === to',
    replace: 'shown(start) === from',
    tests: slots,
  },
  {
    name: 'a slot is chosen by its times in UTC',
    file: engine,
    find: 'clockText(instant + offsetAt(spans, instant))',
    replace: 'clockText(instant + 0 * offsetAt(spans, instant))',
    tests: slots,
  },
  {
    name: 'a repeated local time is offered twice',
    file: engine,
    find: ' && !isRepeat(requestedSpans, start)',
    replace: '',
    tests: slots,
  },
  {
    name: 'slots are offered beyond the booking window',
    file: engine,
    find: 'localDay(staffSpans, start) <= lastOpenDay && ',
    replace: '',
    tests: slots,
  },
  {
    name: 'the booking window is a day longer',
    file: engine,
    find: '+ terms.bookingWindowDays;',
    replace: '+ terms.bookingWindowDays + 1;',
    tests: slots,
  },
  {
    name: 'slots are offered within the minimum notice',
    file: engine,
    find: 'Math.max(range.from, earliest)',
    replace: 'range.from',
    tests: slots,
  },
  {
    name: 'a slot that begins at the end of a busy time is unavailable',
    file: engine,
    find: 'next.to <= start - beforeMs',
    replace: 'next.to < start - beforeMs',
    tests: slots,
  },
  {
    name: 'a slot that ends at the start of a busy time is unavailable',
    file: engine,
    find: 'next.from >= start + afterMs',
    replace: 'next.from > start + afterMs',
    tests: slots,
  },
  {
    name: 'the last slot of an open interval is not offered',
    file: engine,
    find: 'start <= last && start < to',
    replace: 'start < last && start < to',
    tests: slots,
  },
  {
    name: 'the daily limit allows one more',
    file: engine,
    find: '?? 0) < limit',
    replace: '?? 0) <= limit',
    tests: slots,
  },
  {
    name: 'hours that began the day before offer nothing',
    file: engine,
    find: 'firstDay - 2, localDay',
    replace: 'firstDay, localDay',
    tests: slots,
  },
  {
    name: 'the buffer before a slot is not kept free',
    file: engine,
    find: 'const beforeMs = terms.bufferBeforeMinutes * minuteMs;',
    replace: 'const beforeMs = 0;',
    tests: slots,
  },
  {
    name: 'the buffer after a slot is not kept free',
    file: engine,
    find: 'const afterMs = (terms.slotMinutes + terms.bufferAfterMinutes) * minuteMs;',
    replace: 'const afterMs = terms.slotMinutes * minuteMs;',
    tests: slots,
  },
  {
    name: 'a booking does not occupy its buffers',
    file: engine,
    find: 'from: start - terms.bufferBeforeMinutes * minuteMs,',
    replace: 'from: start,',
    tests: slots,
  },
  {
    name: 'busy times that touch are not merged',
    file: wallTime,
    find: 'interval.from <= last.to',
    replace: 'interval.from < last.to',
    tests: slots,
  },
  {
    name: 'a busy time inside another one ends it',
    file: wallTime,
    find: 'last.to = Math.max(last.to, interval.to);',
    replace: 'last.to = interval.to;',
    tests: slots,
  },
  {
    name: 'hours of the following days are ignored',
    file: engine,
    find: 'localDay(staffSpans, last.to - 1) + 2)',
    replace: 'localDay(staffSpans, last.to - 1))',
    tests: slots,
  },
];
