// Mutations of sending.
import type { Mutation } from '../mutation.ts';

const conditions = 'src/messaging/sending/messages-sql-store.ts';
const store = 'src/messaging/sending/messages-moves-store.ts';
const queue = 'src/messaging/sending/messages-claims-store.ts';
const holds = 'src/messaging/sending/messages-holds-store.ts';
const moves = ['test/db/message-moves.test.ts'];
const held = ['test/db/held-messages.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a send waits its whole time for a number that was slowed down for longer',
    file: 'src/messaging/sending/paces-store.ts',
    find: 'select ${nextSlot} > now() + ${seconds} * interval',
    replace: "select ${nextSlot} > now() + interval '1 hour' + ${seconds} * interval",
    tests: ['test/api/send-refusals.test.ts'],
  },
  {
    name: 'a message that is not queued any more is marked again',
    file: conditions,
    find: 'm.state = ${stateSql.queued} and m.expires_at > now()',
    replace: 'm.expires_at > now()',
    tests: moves,
  },
  {
    name: 'a message is called past its time to live',
    file: conditions,
    find: 'm.state = ${stateSql.queued} and m.expires_at > now()',
    replace: 'm.state = ${stateSql.queued}',
    tests: moves,
  },
  {
    name: 'a halted number goes on calling what it leased before',
    file: conditions,
    find: 'and not ${isSenderHalted(sql`m.sender_id`)} and',
    replace: 'and',
    tests: held,
  },
  {
    name: 'messages of a held template are marked',
    file: conditions,
    find: ' and not ${isTemplateHeld(sql`m.template_id`)}',
    replace: '',
    tests: held,
  },
  {
    name: 'messages of a cancelled send are marked',
    file: conditions,
    find: 'and not ${isSendCancelled(sql`m.account_id`, sql`m.send_id`)})`',
    replace: ')`',
    tests: held,
  },
  {
    name: 'a send is written as marked although its number was halted meanwhile',
    file: 'src/messaging/sending/sends-store.ts',
    find: 'not ${isSenderHalted(sql`s.sender_id`)} and not',
    replace: 'not',
    tests: held,
  },
  {
    name: 'a send is written as marked although its template was refused meanwhile',
    file: 'src/messaging/sending/sends-store.ts',
    find: ' and not ${isTemplateHeld(sql`s.template_id`)} as is_open',
    replace: ' as is_open',
    tests: held,
  },
  {
    name: 'a mark of another lease is taken back',
    file: store,
    find: 'else m.due_at = x.lease::timestamptz end',
    replace: 'else true end',
    tests: moves,
  },
  {
    name: 'a refusal that is written twice ends the mark of a later call',
    file: store,
    find: '(x.lease is null or m.due_at = x.lease::timestamptz)',
    replace: 'true',
    tests: moves,
  },
  {
    name: 'a message is put off under a lease that is not its own',
    file: store,
    find: 'or m.state = ${stateSql.queued} and m.due_at = x.lease::timestamptz',
    replace: 'or m.state = ${stateSql.queued}',
    tests: moves,
  },
  {
    name: 'a claim does not take the most urgent first',
    file: queue,
    find: 'order by m.priority, m.due_at limit',
    replace: 'order by m.due_at limit',
    tests: held,
  },
  {
    name: 'a claim waits for what another process has in its hands',
    file: queue,
    find: 'for update of m skip locked',
    replace: 'for update of m',
    tests: held,
  },
  {
    name: 'a claim takes messages of halted numbers',
    file: queue,
    find: '      where s.halted_at is null\n',
    replace: '',
    tests: held,
  },
  {
    name: 'a claim takes messages that somebody calls',
    file: queue,
    find: 'm.sender_id = s.id and m.due_at <= now() and m.state = ${stateSql.queued}\n          and',
    replace: 'm.sender_id = s.id and m.due_at <= now()\n          and',
    tests: held,
  },
  {
    name: 'messages of held templates are claimed instead of parked',
    file: queue,
    find: 'x.is_live and ${isTemplateHeld(sql`x.template_id`)} as is_held',
    replace: 'false as is_held',
    tests: held,
  },
  {
    name: 'an expired message of a held template is parked again and again',
    file: queue,
    find: 'x.is_live and ${isTemplateHeld',
    replace: '${isTemplateHeld',
    tests: held,
  },
  {
    name: 'a message is parked although its template was approved meanwhile',
    file: holds,
    find: 'm.due_at < m.expires_at\n      and ${isTemplateHeld(sql`m.template_id`)}`',
    replace: 'm.due_at < m.expires_at`',
    tests: held,
  },
  {
    name: 'a hold ends while messages are being parked',
    file: holds,
    find: 'limit 1 for update of h skip locked',
    replace: 'limit 1',
    tests: held,
  },
  {
    name: 'a cancellation ends while a message of the send is being called',
    file: 'src/messaging/sending/sends-store.ts',
    find: 'state in (${stateSql.queued}, ${stateSql.dispatching})',
    replace: 'state = ${stateSql.queued}',
    tests: held,
  },
  {
    name: 'a cancellation whose process died is not gone on with',
    file: 'src/messaging/sending/cancel.ts',
    find: '  return send ? 1 + (await cancelQueued(deps, send)) : 0;',
    replace: '  return send ? 1 : 0;',
    tests: held,
  },
  {
    name: 'a mark whose answer was lost stays, though nobody calls its message',
    file: 'src/messaging/sending/sender-queue.ts',
    find: '      writes.revert(messages);\n',
    replace: '',
    tests: ['test/db/message-holds.test.ts'],
  },
  {
    name: 'what the platform took is not written down once the database lost an answer',
    file: 'src/messaging/sending/dispatch-writes.ts',
    find: 'accepted: (message) => durably(() => accepted(message)),',
    replace: 'accepted,',
    tests: ['test/db/message-holds.test.ts'],
  },
  {
    name: 'a refusal is not written down once the database lost an answer',
    file: 'src/messaging/sending/dispatch-writes.ts',
    find: 'retry: (message) => (message.lease === null ? retry(message) : durably(() => retry(message))),',
    replace: 'retry,',
    tests: ['test/db/message-holds.test.ts'],
  },
  {
    name: 'more calls are begun than there are connections',
    file: 'src/messaging/sending/connections.ts',
    find: 'Math.min(wanted, limit() - inUse)',
    replace: 'Math.min(wanted, limit())',
    tests: ['test/rules/connections.test.ts'],
  },
];
