// Mutations of filters of messages, and of failures by reason.
import type { Mutation } from '../mutation.ts';

const store = 'src/messaging/messages/store.ts';
const failures = 'src/messaging/messages/failure-counts-store.ts';
const api = ['test/api/messages.test.ts'];
const rows = ['test/db/message-lists.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a filter by metadata is not bounded',
    file: store,
    find: 'Boolean(filter.templateId ?? filter.senderId ?? filter.name ?? filter.metadata)',
    replace: 'Boolean(filter.templateId)',
    tests: rows,
  },
  {
    name: 'metadata with another value is listed',
    file: store,
    find: 'metadata ->> ${key} = ${value}`',
    replace: 'metadata ->> ${key} is not null and ${value}::text is not null`',
    tests: api,
  },
  {
    name: 'messages of other senders are listed',
    file: store,
    find: "if (filter.senderId) query = query.where('sender_id', '=', filter.senderId);",
    replace: '',
    tests: api,
  },
  {
    name: 'messages of other sends are listed with those of a large one',
    file: store,
    find: "if (filter.send) query = query.where('send_id', '=', filter.send.id);",
    replace: '',
    tests: rows,
  },
  {
    name: 'a page of a large send reads all of its messages',
    file: store,
    find: '(isLarge ||\n',
    replace: '(\n',
    tests: rows,
  },
  {
    name: 'failures are counted without a limit',
    file: failures,
    find: 'order by id desc limit ${limit}),',
    replace: 'order by id desc),',
    tests: rows,
  },
  {
    name: 'failures of other senders are counted',
    file: failures,
    find: ' and (${senderId ?? null}::uuid is null or sender_id = ${senderId ?? null}::uuid)',
    replace: '',
    tests: rows,
  },
  {
    name: 'failures of other sends are counted',
    file: failures,
    find: ' and (${send?.id ?? null}::uuid is null or send_id = ${send?.id ?? null}::uuid)',
    replace: '',
    tests: rows,
  },
  {
    name: 'newer failures of other sends use up the limit of a send',
    file: failures,
    find: 'sql`id <= ${send.last_recipient_id}`',
    replace: 'sql`true`',
    tests: rows,
  },
];
