// Mutations of webhooks.
import type { Mutation } from '../mutation.ts';

const rests = ['test/api/webhooks-rests.test.ts'];
const sessions = ['test/db/process-session.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'leases of an active process are released with those of an ended one',
    file: 'src/webhooks/delivery/store.ts',
    find: ' and leased_by = any (${[...processIds]}::int[])',
    replace: '',
    tests: ['test/db/delivery-leases.test.ts'],
  },
  {
    name: 'new deliveries do not store the process of their lease',
    file: 'src/webhooks/publish-store.ts',
    find: '${processId}::int,',
    replace: 'null,',
    tests: sessions,
  },
  {
    name: 'a process that reopened its session still counts as ended',
    file: 'src/db/process-session.ts',
    find: 'on conflict (id) do update set ended_at = null',
    replace: 'on conflict (id) do nothing',
    tests: sessions,
  },
  {
    name: 'a process is removed while its statements may still commit',
    file: 'src/db/process-session.ts',
    find: 'and ended_at < now() - ${lateStatementsSeconds} *',
    replace: 'and ended_at < now() - 0 * ${lateStatementsSeconds} *',
    tests: sessions,
  },
  {
    name: 'every process counts as ended',
    file: 'src/db/process-session.ts',
    find: 'where pg_try_advisory_xact_lock(${lockClass}, id)`',
    replace: 'where pg_try_advisory_xact_lock(${lockClass}, id) or true`',
    tests: sessions,
  },
  {
    name: 'a Retry-After rests the endpoint for its whole duration',
    file: 'src/webhooks/delivery/store.ts',
    find: 'nullif(least(t.wait, ${longestRestMs}), 0) as wait',
    replace: 'nullif(t.wait, 0) as wait',
    tests: rests,
  },
  {
    name: 'after a rest all due deliveries are attempted together',
    file: 'src/webhooks/delivery/store.ts',
    find: 'limit case when ${failuresOf} >= ${failuresToBackOff} then 1',
    replace: 'limit case when e.failures >= ${failuresToBackOff} then 1',
    tests: rests,
  },
  {
    name: 'a new delivery is sent in addition to the probe after a rest',
    file: 'src/webhooks/publish-store.ts',
    find: 'and e.paused_until is null',
    replace: 'and (e.paused_until is null or e.paused_until <= now())',
    tests: rests,
  },
  {
    name: 'a success makes deliveries with Retry-After due',
    file: 'src/webhooks/maintenance/store.ts',
    find: "and coalesce(retry_after, '-infinity') <= now()",
    replace: '',
    tests: rests,
  },
  {
    name: 'setting an active endpoint to active does not end its rest',
    file: 'src/webhooks/endpoints/endpoint.ts',
    find: 'restart: input.status === endpointStatus.active',
    replace: 'restart: input.status === endpointStatus.active && row.status !== endpointStatus.active',
    tests: rests,
  },
  {
    name: 'nextAttemptAt ignores the endpoint’s rest',
    file: 'src/webhooks/history/store.ts',
    find: 'greatest(coalesce(d.due_at, ${publishedLeaseEnd}), case when e.paused_until > now() then e.paused_until end)',
    replace: 'd.due_at',
    tests: rests,
  },
  {
    name: 'an endpoint is told that it was disabled',
    file: 'src/webhooks/publish-store.ts',
    find: 'and v.kind = any (e.events) ${excepted}',
    replace: 'and v.kind = any (e.events)',
    tests: ['test/api/webhooks-operational.test.ts'],
  },
  {
    name: 'dead deliveries are announced again at once',
    file: 'src/webhooks/operational-store.ts',
    find: `      and not exists (select from dead_announcements x where x.endpoint_id = e.id and x.at between now() - interval '1 minute' and now())
    order by e.id limit \${limit}::int
    on conflict (endpoint_id) do update set at = excluded.at where a.at not between now() - interval '1 minute' and now()
`,
    replace: `    order by e.id limit \${limit}::int on conflict (endpoint_id) do update set at = excluded.at
`,
    tests: ['test/api/webhooks-operational.test.ts'],
  },
  {
    name: 'dead operational events are announced by others',
    file: 'src/webhooks/delivery/dead-store.ts',
    find: "and coalesce(f.kind, '') <> all (${operational}::text[])",
    replace: '',
    tests: ['test/api/webhooks-operational.test.ts'],
  },
];
