// Mutations of the state changes of deliveries.
import type { Mutation } from '../mutation.ts';

const tests = ['test/db/delivery-moves.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a stage replayed between two claimed ones waits an hour',
    file: 'src/webhooks/delivery/record.ts',
    find: ' || (group.length > 1 && group[0]?.lease === undefined)',
    replace: '',
    tests: ['test/db/replays-beside-attempts.test.ts'],
  },
  {
    name: 'a claim waits for rows that another process has locked',
    file: 'src/webhooks/delivery/store.ts',
    find: 'for update of d skip locked) c',
    replace: 'for update of d) c',
    tests,
  },
  {
    name: 'a claim returns the newest deliveries first',
    file: 'src/webhooks/delivery/store.ts',
    find: 'order by d.due_at\n',
    replace: 'order by d.due_at desc\n',
    tests,
  },
  {
    name: 'later stages are leased in any state',
    file: 'src/webhooks/delivery/store.ts',
    find: 'd.state = ${state.waiting} and d.id > h.id\n',
    replace: 'd.id > h.id\n',
    tests,
  },
  {
    name: 'later stages are leased although an earlier one is pending',
    file: 'src/webhooks/delivery/store.ts',
    find: 'q.id < d.id and q.id <> h.id and q.state <> ${state.waiting} and',
    replace: 'false and q.id < d.id and q.id <> h.id and q.state <> ${state.waiting} and',
    tests,
  },
  {
    name: 'a late failure changes a delivered or dead delivery',
    file: 'src/webhooks/delivery/store.ts',
    find: "where ${match} and ${isPending('d')}\n      returning",
    replace: 'where ${match}\n      returning',
    tests,
  },
  {
    name: 'failures change an endpoint that was disabled or deleted',
    file: 'src/webhooks/delivery/store.ts',
    find: 'o.status in (${status.active}, ${status.paused}) order by t.id',
    replace: 'true order by t.id',
    tests,
  },
  {
    name: 'a process releases the lease of another one, whose attempt is then repeated',
    file: 'src/webhooks/delivery/store.ts',
    find: ' and d.leased_by = ${processId} and (',
    replace: ' and (',
    tests,
  },
  {
    name: 'a released lease makes a retry due',
    file: 'src/webhooks/delivery/store.ts',
    find: 'd.stage = x.stage and d.state = ${state.ready} and coalesce',
    replace: 'd.stage = x.stage and coalesce',
    tests,
  },
  {
    name: 'the end of a process makes its retries due',
    file: 'src/webhooks/delivery/store.ts',
    find: 'due_at > now() and state = ${state.ready} and leased_by',
    replace: 'due_at > now() and leased_by',
    tests,
  },
  {
    name: 'a replay repeats a pending delivery',
    file: 'src/webhooks/replay/store.ts',
    find: "where not (l.state = ${state.ready} and coalesce(l.due_at, 'infinity') > now()) and l.state",
    replace: 'where l.state',
    tests,
  },
  {
    name: 'events for a resting endpoint are leased to their publisher',
    file: 'src/webhooks/publish-store.ts',
    find: 'e.status = ${status.active} and e.failures < ${failuresToBackOff} and e.paused_until is null\n',
    replace: 'e.status = ${status.active} and e.paused_until is null\n',
    tests,
  },
  {
    name: 'deliveries are locked only after all of them have been read',
    file: 'src/webhooks/delivery/locks-store.ts',
    find: 'from (select * from stages order by subject_id, endpoint_id, id) k',
    replace: 'from stages k',
    tests: ['test/db/statements.test.ts'],
  },
  {
    name: 'a replay reads the stages before it has locked them',
    file: 'src/webhooks/replay/store.ts',
    find: '  await lockStages(tx, met);\n  return replayLocked(tx, met, states);',
    replace:
      '  const made = await replayLocked(tx, met, states);\n  await lockStages(tx, met);\n  return made;',
    tests,
  },
];
