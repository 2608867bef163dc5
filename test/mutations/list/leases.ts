// Mutations of message leases and of unknown outcomes.
import type { Mutation } from '../mutation.ts';

const queue = ['test/db/message-queue.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'messages that an active process leased are released with those of an ended one',
    file: 'src/messaging/dispatch/claims-store.ts',
    find: 'and state = ${stateSql.queued} and leased_by = any (${[...processIds]}::int[])',
    replace: 'and state = ${stateSql.queued}',
    tests: queue,
  },
  {
    name: 'messages that an ended process was dispatching are called again',
    file: 'src/messaging/dispatch/claims-store.ts',
    find: 'due_at > now() and state = ${stateSql.queued} and leased_by',
    replace: 'due_at > now() and leased_by',
    tests: queue,
  },
  {
    name: 'a claim does not store the process of its lease',
    file: 'src/messaging/dispatch/claims-store.ts',
    find: 'else ${processId}::int end',
    replace: 'else m.leased_by end',
    tests: queue,
  },
  {
    name: 'messages that a send stores as leased do not name the process',
    file: 'src/messaging/sending/new-sends-store.ts',
    find: '${processId}::int',
    replace: 'null::int',
    tests: ['test/faults/campaign.test.ts'],
  },
  {
    name: 'an unknown outcome fails while no report can arrive',
    file: 'src/messaging/dispatch/claims-store.ts',
    find: ' - ${outageSince(sql`m.due_at`)} limit',
    replace: ' limit',
    tests: queue,
  },
  {
    name: 'an outage is not counted before its end',
    file: 'src/messaging/status-reports/callback-uptime-store.ts',
    find: "      union all\n      select seen_at, now() from callback_uptime where seen_at < now() - ${outageSeconds} * interval '1 second') o",
    replace: ') o',
    tests: queue,
  },
  {
    name: 'every restart counts as an outage since the last record',
    file: 'src/messaging/status-reports/callback-uptime-store.ts',
    find: 'greatest(o.from_at, ${instant})',
    replace: 'o.from_at',
    tests: queue,
  },
];
