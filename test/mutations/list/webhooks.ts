// Mutations of webhooks.
import type { Mutation } from '../mutation.ts';

const rests = ['test/api/webhooks-rests.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'one Retry-After silences an endpoint for as long as it says',
    file: 'src/webhooks/delivering/store.ts',
    find: 'nullif(least(t.wait, ${longestRestMs}), 0) as wait',
    replace: 'nullif(t.wait, 0) as wait',
    tests: rests,
  },
  {
    name: 'after a rest everything due is tried together',
    file: 'src/webhooks/delivering/store.ts',
    find: 'limit case when ${failuresOf} >= ${failuresToBackOff} then 1',
    replace: 'limit case when e.failures >= ${failuresToBackOff} then 1',
    tests: rests,
  },
  {
    name: 'a new delivery goes out beside the probe after a rest',
    file: 'src/webhooks/store.ts',
    find: 'and e.paused_until is null',
    replace: 'and (e.paused_until is null or e.paused_until <= now())',
    tests: rests,
  },
  {
    name: 'a success brings forward what the receiver asked to wait for',
    file: 'src/webhooks/chores/store.ts',
    find: "and coalesce(retry_after, '-infinity') <= now()",
    replace: '',
    tests: rests,
  },
  {
    name: 'setting an active endpoint active leaves it resting',
    file: 'src/webhooks/endpoints/endpoint.ts',
    find: "restart: input.status === 'active'",
    replace: "restart: input.status === 'active' && row.status !== 'active'",
    tests: rests,
  },
  {
    name: 'nextAttemptAt forgets that the endpoint rests',
    file: 'src/webhooks/history/store.ts',
    find: 'greatest(due_at, case when e.paused_until > now() then e.paused_until end)',
    replace: 'due_at',
    tests: rests,
  },
];
