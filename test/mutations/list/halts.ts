// Mutations of halted numbers: which messages wait, and what halts them.
import type { Mutation } from '../mutation.ts';

const conditions = 'src/messaging/messages/sql-store.ts';
const queue = 'src/messaging/dispatch/claims-store.ts';
const held = ['test/db/message-halts.test.ts'];
const api = ['test/api/halted-templates.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a halted sender calls the messages it leased before',
    file: conditions,
    find: 'and not ${isSenderHalted(sql`m.sender_id`, isReply)} and',
    replace: 'and',
    tests: held,
  },
  {
    name: 'a number whose templates are halted calls those that it leased before',
    file: conditions,
    find: 'isSenderHalted(sql`m.sender_id`, isReply)',
    replace: 'isSenderHalted(sql`m.sender_id`, sql`true`)',
    tests: held,
  },
  {
    name: 'the halt of templates stops replies',
    file: conditions,
    find: 'and not (n.halt_spares_replies and ${spared})',
    replace: '',
    tests: [...held, ...api],
  },
  {
    name: 'a send is stored as dispatching although its sender was halted in the meantime',
    file: 'src/messaging/sending/new-sends-store.ts',
    find: 'not s.is_halted and ',
    replace: '',
    tests: held,
  },
  {
    name: 'a claim takes messages of halted senders',
    file: queue,
    find: 'where (s.halted_at is null or s.halt_spares_replies) and not',
    replace: 'where not',
    tests: held,
  },
  {
    name: 'a claim takes no replies of a number whose templates are halted',
    file: queue,
    find: '(s.halted_at is null or s.halt_spares_replies)',
    replace: 's.halted_at is null',
    tests: held,
  },
  {
    name: 'a claim takes the templates of a number whose templates are halted',
    file: queue,
    find: 'and (s.halted_at is null or ${isReply})',
    replace: '',
    tests: held,
  },
  {
    name: 'a number whose reply was rejected goes on to reply',
    file: 'src/messaging/senders/halt.ts',
    find: "kind === 'halt_templates' && isReply ? 'halt_sender' : kind",
    replace: 'kind',
    tests: api,
  },
  {
    name: 'the halt of templates never becomes one of everything',
    file: 'src/messaging/senders/store.ts',
    find: '(senders.halted_at is null or (halt_spares_replies and not ${sparesReplies}::boolean))',
    replace: 'senders.halted_at is null',
    tests: api,
  },
  {
    name: 'a later limit lets the replies of a halted number leave',
    file: 'src/messaging/senders/store.ts',
    find: '(halt_spares_replies and not ${sparesReplies}::boolean)',
    replace: 'true',
    tests: api,
  },
];
