// Mutations of explained slots, and of lists of bookings by their start.
import type { Mutation } from '../mutation.ts';

const explain = 'src/appointments/slots/explain.ts';
const explained = 'src/appointments/slots/explained.ts';
const lists = 'src/appointments/booking/booking-lists-store.ts';
const rules = ['test/rules/slots-explained.test.ts'];
const api = ['test/api/appointments-slots.test.ts'];
const bookings = ['test/api/appointments-lists.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a slot that ends after the opening hours is explained as open',
    file: explain,
    find: 'start + lengthMs <= interval.to',
    replace: 'start < interval.to',
    tests: rules,
  },
  {
    name: 'a step touches what ends at its start',
    file: explain,
    find: 'one.to > from &&',
    replace: 'one.to >= from &&',
    tests: rules,
  },
  {
    name: 'an event without length takes a step',
    file: explain,
    find: ' && one.from < one.to && ',
    replace: ' && ',
    tests: rules,
  },
  {
    name: 'the second of two equal local times is explained as open',
    file: explain,
    find: 'clock_change: isRepeat(spans, start)',
    replace: 'clock_change: false',
    tests: rules,
  },
  {
    name: 'local times that the clocks skip are left out',
    file: explain,
    find: 'if (real.length === 0 && change)',
    replace: 'if (false && change)',
    tests: rules,
  },
  {
    name: 'the event of a booking is explained as another event',
    file: explained,
    find: 'events: without(busy, bookings)',
    replace: 'events: busy',
    tests: api,
  },
  {
    name: 'a page by start begins with the bookings of the last one',
    file: lists,
    find: 'and (b.starts_at, b.id) ${beyond} (${after.startsAt}::timestamptz, ${after.id}::uuid)',
    replace: '',
    tests: bookings,
  },
  {
    name: 'a page by start leaves out bookings with the same start',
    file: lists,
    find: 'b.starts_at ${beyond}= ${after.startsAt} and (b.starts_at, b.id) ${beyond} (${after.startsAt}::timestamptz, ${after.id}::uuid)',
    replace: 'b.starts_at ${beyond} ${after.startsAt}',
    tests: bookings,
  },
];
