// Mutations of what survives steps of the clocks, and a machine that slept.
import type { Mutation } from '../mutation.ts';

const steady = 'src/base/steady.ts';
const store = 'src/messaging/sending/store.ts';
const lane = 'src/messaging/sending/lane.ts';
const durations = ['test/rules/steady.test.ts'];
const steps = ['test/db/clock-steps.test.ts'];
const holds = ['test/db/message-holds.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the time that a machine slept does not count',
    file: steady,
    find: 'if (ahead > jumpMs) jumped += ahead;',
    replace: '',
    tests: durations,
  },
  {
    name: 'a wall clock that is set back makes a duration shorter',
    file: steady,
    find: 'if (ahead > jumpMs)',
    replace: 'if (Math.abs(ahead) > jumpMs)',
    tests: durations,
  },
  {
    name: 'small adjustments of the wall clock add up',
    file: steady,
    find: 'offset += ahead;',
    replace: 'if (Math.abs(ahead) > jumpMs) offset += ahead;',
    tests: durations,
  },
  {
    name: 'a slot reserved before the clock stepped back is waited for',
    file: store,
    find: 'then greatest(tat, now()) else now() end`;',
    replace: 'then greatest(tat, now()) else tat end`;',
    tests: steps,
  },
  {
    name: 'a throttling from before the clock stepped back is taken for one of now',
    file: store,
    find: "interval '1 second' and now() + interval '1 second'`;",
    replace: "interval '1 second' and 'infinity'`;",
    tests: steps,
  },
  {
    name: 'a number slowed before the clock stepped back has no rate left',
    file: store,
    find: 'greatest(0, least(300, extract(epoch from now() - slowed_at)))',
    replace: 'least(300, extract(epoch from now() - slowed_at))',
    tests: steps,
  },
  {
    name: 'a message is called by a machine that slept since its mark',
    file: 'src/messaging/sending/call.ts',
    find: 'deps.clock.steady() - markedAtMs > markTrustMs',
    replace: 'performance.now() - markedAtMs > markTrustMs',
    tests: holds,
  },
  {
    name: 'the time of a mark is taken when its answer is read',
    file: lane,
    find: 'void call(prepared, by, markedAtMs);',
    replace: 'void call(prepared, by, deps.clock.steady());',
    tests: holds,
  },
];
