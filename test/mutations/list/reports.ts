// Mutations of the records about a message: acceptances, retries, status reports.
import type { Mutation } from '../mutation.ts';

const store = 'src/messaging/messages/moves-store.ts';
const claims = 'src/messaging/dispatch/claims-store.ts';
const cancellations = 'src/messaging/dispatch/cancel-store.ts';
const templates = 'src/messaging/sending/resolve-template-store.ts';
const moves = ['test/db/message-moves.test.ts'];
const records = ['test/db/message-records.test.ts'];
const held = ['test/db/message-holds.test.ts'];
const queue = ['test/db/message-queue.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'an acceptance that is recorded late moves a message back',
    file: store,
    find: 'greatest(m.state, ${stateSql.accepted}::smallint)',
    replace: '${stateSql.accepted}::smallint',
    tests: moves,
  },
  {
    name: 'an acceptance replaces the reference of a report',
    file: store,
    find: 'wamid = coalesce(m.wamid, x.w), accepted_at',
    replace: 'wamid = x.w, accepted_at',
    tests: records,
  },
  {
    name: 'an acceptance that is recorded late removes the error of a failed message',
    file: store,
    find: 'error = case when m.state < ${stateSql.failed} then null else m.error end',
    replace: 'error = null',
    tests: records,
  },
  {
    name: 'an accepted message keeps the error of its last attempt',
    file: store,
    find: 'error = case when m.state < ${stateSql.failed} then null else m.error end',
    replace: 'error = m.error',
    tests: records,
  },
  {
    name: 'a call that does not count uses up an attempt',
    file: store,
    find: 'attempts = m.attempts - (m.state = ${stateSql.dispatching})::int + x.counts::int',
    replace: 'attempts = m.attempts',
    tests: records,
  },
  {
    name: 'a retry is due after the message has expired',
    file: store,
    find: "least(now() + x.delay * interval '1 second', greatest(m.expires_at, now()))",
    replace: "now() + x.delay * interval '1 second'",
    tests: records,
  },
  {
    name: 'a retry without a rejection removes the last one',
    file: store,
    find: 'error = coalesce(x.error, m.error), attempts',
    replace: 'error = x.error, attempts',
    tests: records,
  },
  {
    name: 'any report changes a failed message',
    file: store,
    find: 'x.st in (${stateSql.delivered}, ${stateSql.read})\n        or m.error',
    replace: 'true\n        or m.error',
    tests: moves,
  },
  {
    name: 'a report does not correct an unknown outcome',
    file: store,
    find: "\n        or m.error ->> 'code' = ${errorCodeSql.outcomeUnknown}",
    replace: '',
    tests: moves,
  },
  {
    name: 'a delivered message fails',
    file: store,
    find: 'when x.st = ${stateSql.failed} then m.state < ${stateSql.delivered}',
    replace: 'when x.st = ${stateSql.failed} then true',
    tests: moves,
  },
  {
    name: 'an older report moves a message back',
    file: store,
    find: 'else m.state < x.st end',
    replace: 'else true end',
    tests: moves,
  },
  {
    name: 'a later report changes the time of an earlier stage',
    file: store,
    find: 'sent_at = coalesce(m.sent_at, to_timestamp(x.t3))',
    replace: 'sent_at = to_timestamp(x.t3)',
    tests: records,
  },
  {
    name: 'a throttled sender keeps its rate',
    file: 'src/messaging/senders/paces-store.ts',
    find: 'else greatest(1, ${ratePerSecond} / 2) end',
    replace: 'else ${ratePerSecond} end',
    tests: ['test/db/sender-paces.test.ts'],
  },
  {
    name: 'each of the calls that are throttled together halves the rate',
    file: 'src/messaging/senders/paces-store.ts',
    find: 'slowed_to = case when ${slowedWithin(onceInSeconds)} then slowed_to',
    replace: 'slowed_to = case when false then slowed_to',
    tests: ['test/db/sender-paces.test.ts'],
  },
  {
    name: 'each report of one throttling halves the rate',
    file: 'src/messaging/status-reports/react-to-failures.ts',
    find: ', onceInSeconds: 10 }',
    replace: ' }',
    tests: ['test/api/throttling-reports.test.ts'],
  },
  {
    name: 'a late report of throttling slows the number down',
    file: 'src/messaging/status-reports/react-to-failures.ts',
    find: 'isThrottled(kind) && !isOld',
    replace: 'isThrottled(kind) && isOld !== null',
    tests: ['test/api/throttling-reports.test.ts'],
  },
  {
    name: 'a throttled sender stays slow',
    file: 'src/messaging/senders/paces-store.ts',
    find: 'power(1.05, greatest(0, least(300,',
    replace: 'power(1, greatest(0, least(300,',
    tests: ['test/db/sender-paces.test.ts'],
  },
  {
    name: 'two processes reserve the same slots of a sender',
    file: 'src/messaging/dispatch/paces-store.ts',
    find: ' for update of s) y) x',
    replace: ') y) x',
    tests: ['test/db/sender-paces.test.ts'],
  },
  {
    name: 'a busy sender claims no one-time codes',
    file: claims,
    find: 'any(${busySenders}::uuid[]) then ${authenticationSql}',
    replace: 'any(${busySenders}::uuid[]) then -1',
    tests: records,
  },
  {
    name: 'a busy sender claims campaigns',
    file: claims,
    find: 'any(${busySenders}::uuid[]) then ${authenticationSql}',
    replace: 'any(${busySenders}::uuid[]) then 2',
    tests: records,
  },
  {
    name: 'a claim takes messages before they are due',
    file: claims,
    find: 'm.sender_id = s.id and m.due_at <= now() and m.state = ${stateSql.queued}\n          and',
    replace: 'm.sender_id = s.id and m.due_at is not null and m.state = ${stateSql.queued}\n          and',
    tests: [...queue, ...held],
  },
  {
    name: 'a released lease makes a dispatching message due',
    file: claims,
    find: 'is true and m.state = ${stateSql.queued}`.execute(\n    db,\n  );',
    replace: 'is true`.execute(\n    db,\n  );',
    tests: records,
  },
  {
    name: 'a claimed message of a cancelled send is not marked as cancelled',
    file: claims,
    find: 's.cancelled_at is not null cancelled',
    replace: 'false cancelled',
    tests: records,
  },
  {
    name: 'a claimed message that expired is not marked as expired',
    file: claims,
    find: 'm.expires_at <= now() or ${isContentRemoved} expired',
    replace: '${isContentRemoved} expired',
    tests: records,
  },
  {
    name: 'a message whose code was removed is called without it',
    file: claims,
    find: 'm.expires_at <= now() or ${isContentRemoved} expired',
    replace: 'm.expires_at <= now() expired',
    tests: [...queue, 'test/db/message-codes.test.ts'],
  },
  {
    name: 'a send is stored for a template that is being deleted',
    file: 'src/messaging/sending/new-sends-store.ts',
    find: '\n        and provider_status is distinct from ${ownProviderStatus.pendingDeletion}\n        and components_changed_at',
    replace: '\n        and components_changed_at',
    tests: ['test/api/template-deletion.test.ts'],
  },
  {
    name: 'a cancellation is continued by two processes',
    file: cancellations,
    find: 'where due_at <= now() order by due_at limit 1\n      for update skip locked) x',
    replace: 'where due_at is not null order by due_at limit 1\n      for update skip locked) x',
    tests: held,
  },
  {
    name: 'a send uses the oldest sender instead of the default one',
    file: templates,
    find: 'const senderOrder = sql`n.is_default desc, n.id`;',
    replace: 'const senderOrder = sql`n.id`;',
    tests: records,
  },
  {
    name: 'a send uses a sender of another business account',
    file: templates,
    find: 'else ${isOfTemplate} end',
    replace: 'else true end',
    tests: records,
  },
];
