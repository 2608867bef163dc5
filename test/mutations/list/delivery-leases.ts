// Mutations of the leases of published deliveries.
import type { Mutation } from '../mutation.ts';

const leases = 'src/webhooks/delivery/leases-store.ts';
const store = 'src/webhooks/delivery/store.ts';
const publishing = 'src/webhooks/publish-store.ts';
const locks = 'src/webhooks/delivery/locks-store.ts';
const takeOver = 'src/webhooks/delivery/take-over.ts';
const lockOrder = ['test/db/delivery-lock-order.test.ts'];
const moves = ['test/db/delivery-leases.test.ts'];
const delivering = ['test/api/webhooks-delivery.test.ts'];
const order = ['test/api/webhooks-order.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a published lease ends with the first of its deliveries',
    file: 'src/webhooks/delivery/record.ts',
    find: '.filter(([lease, count]) => lease.open === count)',
    replace: '.filter(([lease, count]) => lease.open >= count)',
    tests: delivering,
  },
  {
    name: 'a published lease never ends before it expires',
    file: 'src/webhooks/delivery/record.ts',
    find: 'lease.open -= count;',
    replace: 'lease.open -= 0 * count;',
    tests: delivering,
  },
  {
    name: 'published deliveries have no lease',
    file: publishing,
    find: '    leased as (${insertLease(leaseId, processId, accountIds, isLeased)}),\n',
    replace: '    leased as (${insertLease(leaseId, processId, accountIds, sql`false`)}),\n',
    tests: delivering,
  },
  {
    name: 'a published lease covers the deliveries of one account only',
    file: publishing,
    find: 'new Set(events.map(({ accountId }) => accountId))',
    replace: 'new Set(events.slice(0, 1).map(({ accountId }) => accountId))',
    tests: moves,
  },
  {
    name: 'a stage does not wait for an earlier one under a published lease',
    file: publishing,
    find: "where ${isPending('p')} order by",
    replace: 'where p.due_at is not null order by',
    tests: moves,
  },
  {
    name: 'an active process’s published deliveries are taken over',
    file: leases,
    find: 'where due_at <= now() or leased_by',
    replace: 'where due_at is not null or leased_by',
    tests: moves,
  },
  {
    name: 'an expired lease takes the deliveries of another process with it',
    file: leases,
    find: 'and q.leased_by = l.leased_by and',
    replace: 'and',
    tests: moves,
  },
  {
    name: 'a delivery that was recorded meanwhile is taken over',
    file: leases,
    find: "q.leased_by = l.leased_by and ${isPending('q')} offset 0",
    replace: 'q.leased_by = l.leased_by offset 0',
    tests: moves,
  },
  {
    name: 'the end of a lease reads every delivery',
    file: leases,
    find: ' offset 0) q`',
    replace: ') q`',
    tests: ['test/db/webhook-plans.test.ts'],
  },
  {
    name: 'a lease is locked before its deliveries',
    file: takeOver,
    find: '  await lockPublished(tx, found);',
    replace: '  await removeLeases(tx, found);',
    tests: lockOrder,
  },
  {
    name: 'what ended processes claimed is locked before what they published',
    file: takeOver,
    find: 'const published = await takeOverFrom(tx, processIds);',
    replace:
      'const published = (await releaseDeliveriesOf(tx, processIds)) + (await takeOverFrom(tx, processIds));',
    tests: lockOrder,
  },
  {
    name: 'messages of ended leases are locked in another order than elsewhere',
    file: locks,
    find: 'order by d.subject_id, d.endpoint_id, d.id for update',
    replace: 'order by d.subject_id desc, d.endpoint_id, d.id for update',
    tests: lockOrder,
  },
  {
    name: 'a publisher locks stages in another order than their record',
    file: publishing,
    find: 'order by p.subject_id, p.endpoint_id, p.id for update',
    replace: 'order by p.subject_id, p.endpoint_id, p.stage for update',
    tests: lockOrder,
  },
  {
    name: 'replays and erasures lock stages in another order than their record',
    file: locks,
    find: 'order by d.subject_id, d.endpoint_id, d.id for update',
    replace: 'order by d.subject_id, d.endpoint_id, d.stage for update',
    tests: lockOrder,
  },
  {
    name: 'a replay fails after a deadlock',
    file: 'src/webhooks/replay/replay.ts',
    find: 'await inTransaction(deps.db, async (tx) => {',
    replace: 'await deps.db.transaction().execute(async (tx) => {',
    tests: lockOrder,
  },
  {
    name: 'an erasure changes stages in the order of their rows on disk',
    file: 'src/erasure/traces-store.ts',
    find: '  await sql`${lockDeliveries(stages)}`.execute(tx);\n',
    replace: '',
    tests: lockOrder,
  },
  {
    name: 'an erasure locks messages in another order than status reports',
    file: 'src/erasure/messages-store.ts',
    find: 'order by m.id for update of m',
    replace: 'order by m.id desc for update of m',
    tests: lockOrder,
  },
  {
    name: 'a later stage is due together with the first when their lease expires',
    file: leases,
    find: "set due_at = now() + case when d.state = ${state.waiting} then ${waitingMax} else interval '0' end\n    from (select q",
    replace: 'set due_at = now()\n    from (select q',
    tests: moves,
  },
  {
    name: 'a stage behind a failed one stays in the published lease',
    file: store,
    find: 'd.state = ${state.waiting} and d.due_at is null),\n    counted',
    replace: 'false),\n    counted',
    tests: order,
  },
  {
    name: 'a process stops without giving back published deliveries',
    file: store,
    find: "coalesce(d.due_at, 'infinity') > now()",
    replace: "coalesce(d.due_at, '-infinity') > now()",
    tests: [...order, ...delivering],
  },
  {
    name: 'published deliveries of an ended process wait for their lease',
    file: leases,
    find: ' or leased_by = any (${[...processIds]}::int[])',
    replace: '',
    tests: moves,
  },
  {
    name: 'dead-lettering ends before what an expired lease covers is due',
    file: 'src/webhooks/maintenance/store.ts',
    find: ' and not exists (select from delivery_leases l where l.due_at <= now() and endpoints.account_id = any (l.account_ids))',
    replace: '',
    tests: ['test/db/delivery-leases.test.ts'],
  },
];
