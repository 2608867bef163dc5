// Mutations of the erasure of a person.
import type { Mutation } from '../mutation.ts';

const erase = 'src/erasure/erase.ts';
const traces = 'src/erasure/traces-store.ts';
const messages = 'src/erasure/messages-store.ts';
const request = 'src/erasure/request.ts';
const contacts = 'src/messaging/opt-outs/erased.ts';
const tests = ['test/api/erasure.test.ts'];
const races = ['test/db/erasure-races.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'an erasure does not wait for what a worker writes about the contact',
    file: contacts,
    find: '    await awaitFolding(tx);\n',
    replace: '',
    tests: races,
  },
  {
    name: 'an erased person keeps open bookings',
    file: request,
    find: '  if (!cancel)\n    throw',
    replace: '  if (!cancel && open.length > 99)\n    throw',
    tests,
  },
  {
    name: 'an erased opt-out is forgotten',
    file: contacts,
    find: 'await insertErased(tx, accountId, hashes);',
    replace: 'void insertErased;',
    tests,
  },
  {
    name: 'a message that came just before an erased contact is deleted stays',
    file: contacts,
    find: 'await eraseLate(tx);',
    replace: 'void eraseLate;',
    tests: races,
  },
  {
    name: 'a contact is deleted before the traces of an identity that came in the meantime',
    file: contacts,
    find: 'if (others.length > 0) return',
    replace: 'if (others.length > 99) return',
    tests: races,
  },
  {
    name: 'an erasure overlooks an identity that came in the meantime',
    file: erase,
    find: 'if (others.length === 0) return erased;',
    replace: 'if (others.length < 99) return erased;',
    tests: races,
  },
  {
    name: 'an erasure overlooks a contact that was merged in the meantime',
    file: 'src/messaging/contacts/lock-people.ts',
    find: '.length < keys.length) throw',
    replace: '.length < 0) throw',
    tests: races,
  },
  {
    name: 'an event of the last change of an erased person stays',
    file: erase,
    find: 'if (contactIds.length > 0) yield*',
    replace: 'if (contactIds.length > 99) yield*',
    tests: races,
  },
  {
    name: 'a send to an erased number is not checked for an opt-out',
    file: 'src/messaging/sending/send.ts',
    find: 'if (resolved.hasErased)',
    replace: 'if (resolved.hasErased && messages.length > 99)',
    tests,
  },
  {
    name: 'stored bodies of deliveries keep an erased person',
    file: traces,
    find: 'update deliveries d set ${answersOff}, body = ${emptyBody} where',
    replace: 'update deliveries d set ${answersOff} where',
    tests,
  },
  {
    name: 'events without a key to an erased person keep them',
    file: erase,
    find: '  yield* eraseBodies(deps, accountId, patternOf(subject), erased);',
    replace: '  void eraseBodies;',
    tests,
  },
  {
    name: 'stored answers keep an erased person',
    file: erase,
    find: 'await replaceAnswer(tx, accountId, { ...row, body: eraseFromJson(body, subject) });',
    replace: 'await replaceAnswer(tx, accountId, { ...row, body });',
    tests,
  },
  {
    name: 'drafts keep an erased person',
    file: messages,
    find: 'delete from send_recipients where send_id = ${sendId} and phone = any',
    replace: 'delete from send_recipients where send_id = ${sendId} and false and phone = any',
    tests,
  },
  {
    name: 'an erasure that a process did not finish stays unfinished',
    file: 'src/erasure/jobs-store.ts',
    find: 'select id from erasures where due_at <= now() order by',
    replace: 'select id from erasures where due_at <= now() and false order by',
    tests,
  },
  {
    name: 'a finished erasure remembers whom it was about',
    file: 'src/erasure/jobs-store.ts',
    find: "update erasures set subject = '', due_at = null",
    replace: 'update erasures set due_at = null',
    tests,
  },
  {
    name: 'an erased list becomes an object',
    file: 'src/erasure/subject.ts',
    find: 'Array.isArray(value) ? [] : value === null',
    replace: 'value === null',
    tests: ['test/rules/erased-texts.test.ts'],
  },
];
