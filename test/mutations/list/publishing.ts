// Mutations of publishing events, replays and ordering groups.
import type { Mutation } from '../mutation.ts';

const publishing = 'src/webhooks/publish-store.ts';
const store = 'src/webhooks/delivery/store.ts';
const replay = 'src/webhooks/replay/store.ts';
const group = 'src/webhooks/delivery/ordering-group.ts';
const deliveries = 'src/webhooks/delivery/deliveries.ts';
const moves = ['test/db/delivery-moves.test.ts'];
const order = ['test/api/webhooks-order.test.ts'];
const delivering = ['test/api/webhooks-delivery.test.ts'];
const replays = ['test/api/webhooks-replays.test.ts'];
const trouble = ['test/api/webhooks-trouble.test.ts'];

const recording = ['test/api/webhooks-recording.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a success is lost when the database is unavailable at that moment',
    file: 'src/webhooks/delivery/record.ts',
    find: 'isRetryable, onDelayed',
    replace: 'isRetryable: () => false, onDelayed',
    tests: recording,
  },
  {
    name: 'a success is recorded whenever the database returns, although its lease has ended',
    file: 'src/webhooks/delivery/record.ts',
    find: ', onDelayed, untilMs, longest',
    replace: ', onDelayed, longest',
    tests: recording,
  },
  {
    name: 'a success whose commit was done counts twice',
    file: store,
    find: ' and d.state <> ${state.delivered}\n',
    replace: '\n',
    tests: recording,
  },
  {
    name: 'any number of successes waits for the database',
    file: deliveries,
    find: 'if (failure || this.#unrecorded >= this.#settings.unrecordedMax) await',
    replace: 'if (failure) await',
    tests: recording,
  },
  {
    name: 'a process that stops waits for a database that is away',
    file: 'src/work/retry-write.ts',
    find: 'const isLast = stopping.aborted || ',
    replace: 'const isLast = ',
    tests: [...recording, 'test/rules/durable-writes.test.ts'],
  },
  {
    name: 'a write is retried without increasing delays',
    file: 'src/work/retry-write.ts',
    find: 'firstDelayMs * 2 ** failures',
    replace: 'firstDelayMs',
    tests: [...recording, 'test/rules/durable-writes.test.ts'],
  },
  {
    name: 'a stage is published concurrently with the end of an earlier one',
    file: publishing,
    find: 'order by p.subject_id, p.endpoint_id, p.stage for update of p',
    replace: 'order by p.subject_id, p.endpoint_id, p.stage',
    tests: order,
  },
  {
    name: 'events are inserted for a deleted endpoint',
    file: publishing,
    find: 'e.status <> ${status.deleted} and v.kind = any (e.events)',
    replace: 'v.kind = any (e.events)',
    tests: moves,
  },
  {
    name: 'an endpoint gets events that it did not subscribe to',
    file: publishing,
    find: ' and v.kind = any (e.events)',
    replace: '',
    tests: delivering,
  },
  {
    name: 'a stage is published twice',
    file: publishing,
    find: '\n      where (v.subject_id, e.id, v.stage) not in (select subject_id, endpoint_id, stage from known)',
    replace: '',
    tests: delivering,
  },
  {
    name: 'stages published together arrive in the reverse order',
    file: publishing,
    find: 'partition by v.subject_id, e.id order by v.stage)',
    replace: 'partition by v.subject_id, e.id order by v.stage desc)',
    tests: order,
  },
  {
    name: 'events for a disabled endpoint stay pending instead of being dead',
    file: publishing,
    find: 'case when dead then ${state.dead} when',
    replace: 'case when',
    tests: trouble,
  },
  {
    name: 'a stage behind an earlier one is leased to its publisher',
    file: publishing,
    find: 'sql`n.open and not n.behind and not n.dead`',
    replace: 'sql`n.open and not n.dead`',
    tests: order,
  },
  {
    name: 'a claim takes deliveries of paused endpoints',
    file: store,
    find: 'where e.status = ${status.active} and (e.paused_until',
    replace: 'where (e.paused_until',
    tests: moves,
  },
  {
    name: 'a claim takes deliveries of resting endpoints',
    file: store,
    find: ' and (e.paused_until is null or e.paused_until <= now()) and not',
    replace: ' and not',
    tests: moves,
  },
  {
    name: 'a resting endpoint is probed with several deliveries',
    file: store,
    find: 'then 1 else ${claim.perEndpoint}::int end',
    replace: 'then 2 else ${claim.perEndpoint}::int end',
    tests: trouble,
  },
  {
    name: 'the end of a stage leases every later stage together',
    file: store,
    find: "d.state = ${state.waiting}\n      and not exists (select from deliveries q where q.subject_id = d.subject_id and q.endpoint_id = d.endpoint_id\n        and q.id < d.id and ${isPending('q')})",
    replace: 'd.state = ${state.waiting}',
    tests: [...moves, ...order],
  },
  {
    name: 'the last later stage is leased instead of the next one',
    file: store,
    find: "        and q.id < d.id and ${isPending('q')})",
    replace: "        and q.id > d.id and ${isPending('q')})",
    tests: [...moves, ...order],
  },
  {
    name: 'a delivery rejected with 410 does not have the reason endpoint_disabled',
    file: store,
    find: 'case when x.status = ${gone} then ${reason.endpointDisabled} else x.reason end',
    replace: 'x.reason',
    tests: trouble,
  },
  {
    name: 'an endpoint that fails for five days is not disabled',
    file: store,
    find: "interval '5 days' then",
    replace: "interval '50 days' then",
    tests: trouble,
  },
  {
    name: 'a replay of a failed delivery records a success',
    file: replay,
    find: 'from picked where state = ${state.delivered})',
    replace: 'from picked)',
    tests: replays,
  },
  {
    name: 'a replay continues the previous retry schedule',
    file: replay,
    find: 'attempts_before = d.attempts, delivered_at = null',
    replace: 'delivered_at = null',
    tests: moves,
  },
  {
    name: 'the stages of a message are replayed together',
    file: replay,
    find: "and (${isPending('q')} or q.id in (select id from picked))",
    replace: "and ${isPending('q')}",
    tests: replays,
  },
  {
    name: 'a replay repeats deliveries that were published after its request',
    file: replay,
    find: "least(r.to_at, r.created_at + interval '1 ms')",
    replace: 'r.to_at',
    tests: replays,
  },
  {
    name: 'two processes perform the same step of a replay',
    file: replay,
    find: 'and finished_at is null for update skip locked`',
    replace: 'and finished_at is null`',
    tests: moves,
  },
  {
    name: 'a replay waits for the process that performs it',
    file: replay,
    find: 'and finished_at is null for update skip locked`',
    replace: 'and finished_at is null for update`',
    tests: moves,
  },
  {
    name: 'a recovery makes deliveries due that failed after the success',
    file: 'src/webhooks/maintenance/store.ts',
    find: ' and last_attempt_at <= ${recoveredAt}\n',
    replace: '\n',
    tests: moves,
  },
  {
    name: 'an ordering group continues after a failed stage',
    file: group,
    find: 'if (!result.delivered) return { done, failure: { ...next, ...result } };',
    replace: 'if (!result.delivered) continue;',
    tests: order,
  },
  {
    name: 'an ordering group never ends early',
    file: group,
    find: '    if (done.length > 0 && !mayContinue()) break;\n',
    replace: '',
    tests: order,
  },
  {
    name: 'an ordering group continues although its endpoint was paused or the process stops',
    file: deliveries,
    find: 'queue.drains === drains && ',
    replace: '',
    tests: order,
  },
  {
    name: 'an ordering group of a slow receiver is recorded as a whole',
    file: deliveries,
    find: ' && clock.steady() < untilMs,',
    replace: ',',
    tests: order,
  },
  {
    name: 'an ordering group continues although its lease is about to end',
    file: deliveries,
    find: 'Math.min(startBeforeMs, clock.steady() + groupMs)',
    replace: 'clock.steady() + groupMs',
    tests: delivering,
  },
  {
    name: 'a call that the stop of the process aborted counts as a failure',
    file: 'src/webhooks/delivery/attempt.ts',
    find: "  if (failure?.kind === 'aborted') return undefined;\n",
    replace: '',
    tests: ['test/api/webhooks-attempts.test.ts'],
  },
  {
    name: 'a delivery that failed here is attempted again before its failure is recorded',
    file: deliveries,
    find: '      if (this.#pendingFailures.size > 0 && this.#pendingFailures.has(delivery.id)) continue;\n',
    replace: '',
    tests: order,
  },
  {
    name: 'a queued delivery is attempted until the very end of its lease',
    file: deliveries,
    find: 'leasedAtMs + leaseMs - leaseMarginMs - this.#deps.webhookTimeoutMs',
    replace: 'leasedAtMs + leaseMs',
    tests: delivering,
  },
  {
    name: 'a lease counts from the response of its claim',
    file: deliveries,
    find: 'this.offer(claimed, leasedAtMs);',
    replace: 'this.offer(claimed);',
    tests: delivering,
  },
  {
    name: 'a queued delivery is sent to the previous URL of its endpoint',
    file: deliveries,
    find: 'delivery.version = Math.max(delivery.version, version);',
    replace: 'delivery.version = Math.min(delivery.version, version);',
    tests: ['test/api/webhooks-isolation.test.ts'],
  },
  {
    name: 'queued deliveries of an endpoint are sent after another process paused it',
    file: deliveries,
    find: '      if (!active) this.drop(id);\n',
    replace: '',
    tests: ['test/api/webhooks-isolation.test.ts'],
  },
];
