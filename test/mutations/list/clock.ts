// Mutations of the handling of clock steps and suspended machines.
import type { Mutation } from '../mutation.ts';

const steady = 'src/base/steady.ts';
const store = 'src/messaging/senders/paces-store.ts';
const senderQueue = 'src/messaging/dispatch/sender-queue.ts';
const durations = ['test/rules/steady.test.ts'];
const steps = ['test/db/clock-steps.test.ts'];
const mends = 'src/db/clock-fixes.ts';
const reading = 'src/db/database-clock.ts';
const watch = 'src/work/clock-watch.ts';
const mended = ['test/db/clock-fixes.test.ts'];
const holds = ['test/db/message-dispatch.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the window of a rate never ends while requests come',
    file: 'src/http/steady-rates.ts',
    find: 'known.startedMs + timeWindow > nowMs',
    replace: 'true',
    tests: ['test/rules/steady-rates.test.ts'],
  },
  {
    name: 'the counts of rates grow without a limit',
    file: 'src/http/steady-rates.ts',
    find: 'if (this.#windows.size > this.#max)',
    replace: 'if (this.#windows.size > 2 * this.#max)',
    tests: ['test/rules/steady-rates.test.ts'],
  },
  {
    name: 'a due time that a clock step shortened is not restored',
    file: 'src/work/batch.ts',
    find: 'if (tries === 0 && codeOf(error) === lockNotAvailable) continue;',
    replace: '',
    tests: ['test/rules/batch.test.ts'],
  },
  {
    name: 'a lock that is never released is waited for without a limit',
    file: 'src/work/batch.ts',
    find: 'if (tries === 0 && codeOf',
    replace: 'if (tries < 20 && codeOf',
    tests: ['test/rules/batch.test.ts'],
  },
  {
    name: 'the time of a suspended machine does not count',
    file: steady,
    find: 'if (ahead > jumpMs) jumpedMs += ahead;',
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
    name: 'small adjustments of the wall clock accumulate',
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
    name: 'a throttling from before the clock step counts as current',
    file: store,
    find: "interval '1 second' and now() + interval '1 second'`;",
    replace: "interval '1 second' and 'infinity'`;",
    tests: steps,
  },
  {
    name: 'a sender throttled before the clock step has no rate',
    file: store,
    find: 'greatest(0, least(300, extract(epoch from now() - slowed_at)))',
    replace: 'least(300, extract(epoch from now() - slowed_at))',
    tests: steps,
  },
  {
    name: 'a message is called by a machine that was suspended since its dispatch began',
    file: 'src/messaging/dispatch/call-platform.ts',
    find: 'deps.clock.steady() - begunAtMs > dispatchTrustMs',
    replace: 'performance.now() - begunAtMs > dispatchTrustMs',
    tests: holds,
  },
  {
    name: 'the time of a dispatch is read after its response',
    file: senderQueue,
    find: 'void this.#call(prepared, access, { begunAtMs, isConnected });',
    replace: 'void this.#call(prepared, access, { begunAtMs: clock.steady(), isConnected });',
    tests: holds,
  },
  {
    name: 'a lease written since the clock stepped back is shortened',
    file: mends,
    find: '    or ${sql.ref(column)} > ${inSeconds(leaseSeconds + 1)}))`;',
    replace: '    or ${sql.ref(column)} > now()))`;',
    tests: mended,
  },
  {
    name: 'a lease from before the clock step is released while it is used',
    file: mends,
    find: '${sql.ref(column)} > ${step.after} and ${sql.ref(column)} <= ${step.before}\n',
    replace: '${sql.ref(column)} > ${step.after}\n',
    tests: mended,
  },
  {
    name: 'leases are released while their calls may continue',
    file: mends,
    find: 'const leasesOverSeconds = 120;',
    replace: 'const leasesOverSeconds = 0;',
    tests: mended,
  },
  {
    name: 'parked messages become due when the clock steps back',
    file: mends,
    find: 'and m.due_at < m.expires_at',
    replace: '',
    tests: mended,
  },
  {
    name: 'a dispatching message is queued again when the clock steps back',
    file: mends,
    find: 'case when m.state = ${state.queued} then now() else m.due_at - ${back(step)} end',
    replace: 'now()',
    tests: mended,
  },
  {
    name: 'a delivery that failed since the clock step is retried early',
    file: mends,
    find: "and d.last_attempt_at < ${step.after}::timestamptz - interval '5 seconds')",
    replace: ')',
    tests: mended,
  },
  {
    name: 'an endpoint rests longer by the clock step',
    file: mends,
    find: 'case when e.paused_until > now() then e.paused_until - ${back(step)} else e.paused_until end',
    replace: 'e.paused_until',
    tests: mended,
  },
  {
    name: 'a step back is not detected',
    file: reading,
    find: 'where seen_at > now_at + ${smallestStepSeconds}',
    replace: 'where seen_at > now_at + 1000 * ${smallestStepSeconds}',
    tests: mended,
  },
  {
    name: 'every adjustment of the clock counts as a step',
    file: reading,
    find: 'where seen_at > now_at + ${smallestStepSeconds}',
    replace: 'where seen_at > now_at + 0 * ${smallestStepSeconds}',
    tests: steps,
  },
  {
    name: 'a backward step of this machine is not logged',
    file: watch,
    find: 'if (Math.abs(seconds) < smallestStepSeconds) return;',
    replace: 'if (seconds < smallestStepSeconds) return;',
    tests: steps,
  },
  {
    name: 'a step is marked as fixed before all rows are fixed',
    file: watch,
    find: 'isDone ? null : step.mended',
    replace: 'null',
    tests: mended,
  },
  {
    name: 'a process that wakes does not record that callbacks come, and does not watch clocks',
    file: 'src/workers.ts',
    find: 'activity.onWake(() => void setTimeout(nudge, othersAfterMs).unref());',
    replace: '',
    tests: ['test/db/idle-watch.test.ts'],
  },
];
