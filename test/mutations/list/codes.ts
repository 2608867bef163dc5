// Mutations of the removal of one-time codes.
import type { Mutation } from '../mutation.ts';

const moves = 'src/messaging/messages/moves-store.ts';
const store = 'src/messaging/messages/codes-store.ts';
const tests = ['test/db/message-codes.test.ts'];
const journey = ['test/api/one-time-codes.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the code of an accepted message is kept',
    file: moves,
    find: 'due_at = null, content = ${contentAfterwards},\n        error = case when m.state',
    replace: 'due_at = null, error = case when m.state',
    tests,
  },
  {
    name: 'the code of a failed message is kept',
    file: moves,
    find: 'failed_at = now(), due_at = null,\n        content = ${contentAfterwards}',
    replace: 'failed_at = now(), due_at = null',
    tests,
  },
  {
    name: 'the code of a reported message is kept',
    file: moves,
    find: 'wamid = coalesce(m.wamid, x.w), due_at = null, content = ${contentAfterwards},',
    replace: 'wamid = coalesce(m.wamid, x.w), due_at = null,',
    tests,
  },
  {
    name: 'the content of every message is removed',
    file: store,
    find: 'case when m.priority = ${authenticationSql} then ${removed}',
    replace: 'case when m.priority < 3 then ${removed}',
    tests,
  },
  {
    name: 'a code that a report repeats is stored and returned',
    file: moves,
    find: 'coalesce(${reportedError}, m.error)',
    replace: 'coalesce(x.error, m.error)',
    tests,
  },
  {
    name: 'numbers in the errors of every message are masked',
    file: store,
    find: 'case when m.priority = ${authenticationSql} and x.error is not null',
    replace: 'case when x.error is not null',
    tests,
  },
  {
    name: 'codes are removed before their expiry',
    file: store,
    find: 'and m.expires_at <= now() and m.state < ${stateSql.accepted}',
    replace: 'and m.state < ${stateSql.accepted}',
    tests,
  },
  {
    name: 'the code of an unknown outcome is kept after its expiry',
    file: store,
    find: 'm.state < ${stateSql.accepted} and not',
    replace: 'm.state = ${stateSql.queued} and not',
    tests,
  },
  {
    name: 'the code of a leased message is kept after its expiry',
    file: store,
    find: "m.due_at <= now() + ${leaseSecondsMax} * interval '1 second'",
    replace: 'm.due_at <= now()',
    tests,
  },
  {
    name: 'content other than codes is removed at its expiry',
    file: store,
    find: 'm.sender_id = s.id and m.priority = ${authenticationSql} and',
    replace: 'm.sender_id = s.id and',
    tests,
  },
  {
    name: 'a message is called without its code after a clock step',
    file: 'src/messaging/dispatch/claims-store.ts',
    find: ' or ${isContentRemoved} expired',
    replace: ' expired',
    tests,
  },
  {
    name: 'codes of earlier versions are removed from messages that are still queued',
    file: store,
    find: 'priority = ${authenticationSql} and state > ${stateSql.dispatching} as is_over',
    replace: 'priority = 0 as is_over',
    tests,
  },
  {
    name: 'content of earlier versions that is not a code is removed',
    file: store,
    find: 'priority = ${authenticationSql} and state > ${stateSql.dispatching} as is_over',
    replace: 'state > 1 as is_over',
    tests,
  },
  {
    name: 'the search for codes of earlier versions ends while another process is searching',
    file: store,
    find: 'return rows.length === 0;',
    replace: 'return rows.length >= 0;',
    tests,
  },
  {
    name: 'two processes search for codes of earlier versions concurrently',
    file: store,
    find: 'from old_codes where due_at <= now() for update skip locked',
    replace: 'from old_codes where due_at <= now()',
    tests,
  },
  {
    name: 'codes of earlier versions are searched only once',
    file: store,
    find: 'else if (from.is_last) await',
    replace: 'else if (from.account_id) await',
    tests,
  },
  {
    name: 'codes of earlier versions are searched again without a pause',
    file: store,
    find: 'is_last from old_codes where due_at <= now() for update',
    replace: 'is_last from old_codes for update',
    tests,
  },
  {
    name: 'codes are not removed at their expiry',
    file: 'src/app.ts',
    find: 'removeCodes: openCodeRemoval(deps),',
    replace: 'removeCodes: () => (openCodeRemoval(deps), Promise.resolve(0)),',
    tests: journey,
  },
  {
    name: 'a code that the platform repeats is stored and returned',
    file: 'src/messaging/dispatch/one-time-codes.ts',
    find: 'message.priority === authenticationPriority ? ',
    replace: 'message.priority > authenticationPriority ? ',
    tests: journey,
  },
];
