// Mutations of retention.
import type { Mutation } from '../mutation.ts';

const cutoffs = 'src/retention/cutoffs.ts';
const expired = 'src/retention/expired-store.ts';
const rows = 'src/retention/rows-store.ts';
const drop = 'src/retention/drop-partitions.ts';
const partitions = 'src/retention/partitions-store.ts';
const settings = 'src/retention/settings-store.ts';
const days = 'src/base/retention-days.ts';
const unused = 'src/messaging/media/remove-unused.ts';
const removal = ['test/db/retention.test.ts', 'test/db/retention-partitions.test.ts'];
const rules = ['test/rules/retention-days.test.ts'];
const api = ['test/api/retention.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a removal begins on the day of its announcement',
    file: cutoffs,
    find: 'announcedAt.getTime() + noticeDays * dayMs <= now.getTime()',
    replace: 'announcedAt.getTime() <= now.getTime()',
    tests: rules,
  },
  {
    name: 'a process with other days than announced removes',
    file: cutoffs,
    find: 'if (announced[kind]?.days === gateway[kind] && isOver(announced[kind]?.announcedAt, now))',
    replace: 'if (isOver(announced[kind]?.announcedAt, now))',
    tests: rules,
  },
  {
    name: 'fewer days than announced begin no new notice',
    file: settings,
    find: 'then excluded.announced_at else n.announced_at end',
    replace: 'then n.announced_at else n.announced_at end',
    tests: removal,
  },
  {
    name: 'deliveries outlive the messages from which their bodies are made',
    file: days,
    find: 'return { ...days, deliveries: fewer(days.deliveries, days.messages) };',
    replace: 'return days;',
    tests: rules,
  },
  {
    name: 'an account keeps longer than the gateway',
    file: days,
    find: 'a === null ? b : b === null ? a : Math.min(a, b)',
    replace: 'b === null ? a : b',
    tests: [...rules, ...removal],
  },
  {
    name: 'a partition is dropped although one account keeps its rows',
    file: cutoffs,
    find: 'if (at === null) return null;',
    replace: 'if (at === null) continue;',
    tests: rules,
  },
  {
    name: 'a message that waits is removed',
    file: expired,
    find: '(m.due_at is null\n  and coalesce',
    replace: '(true\n  and coalesce',
    tests: removal,
  },
  {
    name: 'a delivery that waits is removed',
    file: expired,
    find: '(d.state in (${delivery.delivered}, ${delivery.dead})\n  and d.id',
    replace: '(true\n  and d.id',
    tests: removal,
  },
  {
    name: 'a booking with a pending change is removed',
    file: expired,
    find: 'and b.due_at is null and b.wish is null and',
    replace: 'and',
    tests: removal,
  },
  {
    name: 'a message is removed while one of its deliveries stays',
    file: rows,
    find: ' and not exists (select from deliveries d where d.subject_id = m.id) as expired',
    replace: ' as expired',
    tests: removal,
  },
  {
    name: 'attempts stay when their delivery is removed',
    file: rows,
    find: '  await deleteAttempts(tx, rows);\n  return rows.length;',
    replace: '  return rows.length;',
    tests: removal,
  },
  {
    name: 'what is written between the search of a partition and its drop is lost',
    file: partitions,
    find: '  await sql`select retention_watch(${table}, ${name})`.execute(db);',
    replace: '  void table;',
    tests: removal,
  },
  {
    name: 'messages of a dropped partition are lost while a delivery of them stays',
    file: drop,
    find: "  if (table === 'messages') await keepMessagesOfDeliveries(db, partition);",
    replace: '  void keepMessagesOfDeliveries;',
    tests: removal,
  },
  {
    name: 'a partition is dropped before a backup has read it',
    file: 'src/db/snapshot.ts',
    find: "    await client.query('select pg_advisory_lock_shared($1, $2)', [...partitionsLock]);",
    replace: '    void partitionsLock;',
    tests: removal,
  },
  {
    name: 'two processes remove at a time',
    file: settings,
    find: 'or leased_until <= now() and due_at <= now())',
    replace: 'or due_at <= now())',
    tests: removal,
  },
  {
    name: 'a held gateway removes',
    file: settings,
    find: '\n      and not exists (select from gateway_state where held_since is not null)',
    replace: '',
    tests: removal,
  },
  {
    name: 'what looks old after a clock was put forward is removed',
    file: 'src/retention/retention.ts',
    find: 'if (await hasJumped(deps.db, now)) {',
    replace: 'if ((await hasJumped(deps.db, now)) && deps.days === null) {',
    tests: removal,
  },
  {
    name: 'a send is removed while it has messages',
    file: rows,
    find: '\n      and not exists (select from messages m where m.send_id = s.id)',
    replace: '',
    tests: removal,
  },
  {
    name: 'a file is removed while a message names it',
    file: unused,
    find: 'isUnnamed: !isSample && !named.has(id)',
    replace: 'isUnnamed: !isSample',
    tests: api,
  },
  {
    name: 'the object of an unused file is removed before a backup could read it',
    file: unused,
    find: 'await markRemoving(tx, id, keptSeconds);',
    replace: 'await markRemoving(tx, id, 60);',
    tests: api,
  },
  {
    name: 'an account keeps data for less than the minimum',
    file: 'src/retention/account-retention.ts',
    find: 'if (days < minimumDays[kind])',
    replace: 'if (days < 1)',
    tests: api,
  },
  {
    name: 'a partition is dropped by an earlier search than the last one',
    file: partitions,
    find: 'where part = ${name} and first_id = ${search} and second_id',
    replace: 'where part = ${name} and ${search}::uuid is not null and second_id',
    tests: ['test/db/retention-searches.test.ts'],
  },
  {
    name: 'a partition is watched for ever after a crash',
    file: 'src/retention/drop-partitions.ts',
    find: 'await unwatchOthers(db, names)',
    replace: 'await Promise.resolve([unwatchOthers, names])',
    tests: ['test/db/retention-searches.test.ts'],
  },
  {
    name: 'days of attempts stay when the month of their deliveries goes',
    file: 'src/retention/drop-partitions.ts',
    find: 'one.from >= partition.from && one.to <= partition.to',
    replace: 'one.from === partition.from && one.to === partition.to',
    tests: ['test/db/retention-searches.test.ts'],
  },
  {
    name: 'a machine whose clock is ahead removes what is kept',
    file: settings,
    find: 'select least(${at}::timestamptz, now()) as at',
    replace: 'select ${at}::timestamptz as at',
    tests: ['test/db/retention-searches.test.ts'],
  },
  {
    name: 'a partition that cannot be dropped is searched by every run',
    file: drop,
    find: 'searches.set(step.name, now);',
    replace: 'searches.delete(step.name);',
    tests: ['test/db/retention-searches.test.ts'],
  },
  {
    name: 'a partition that could not be dropped once stays for ever',
    file: drop,
    find: 'Math.abs(now - searched) >= searchAgainMs',
    replace: 'now < searched',
    tests: ['test/db/retention-searches.test.ts'],
  },
  {
    name: 'every row of a partition that cannot be dropped is noted',
    file: partitions,
    find: 'and not ${isMessageExpired(before)}\n    limit ${search.limit}::int',
    replace: 'and not ${isMessageExpired(before)}\n    limit ${search.limit}::int * 100',
    tests: ['test/db/retention-searches.test.ts'],
  },
];
