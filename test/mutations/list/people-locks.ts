// Mutations of the order in which contacts and their windows are locked.
import type { Mutation } from '../mutation.ts';

const tests = ['test/db/people-lock-order.test.ts'];
const batch = 'src/messaging/received/store-batch.ts';

export const mutations: Mutation[] = [
  {
    name: 'a batch that changes contacts locks windows first',
    file: batch,
    find: 'if (locks) await lockPeople(tx, identitiesIn(prepared));',
    replace: 'if (prepared.reports > 99) await lockPeople(tx, identitiesIn(prepared));',
    tests,
  },
  {
    name: 'a batch that turns out to change contacts goes on without their locks',
    file: batch,
    find: 'if (!locks && changesContacts(named, acts)) throw new LocksNeeded();',
    replace: 'if (!locks && changesContacts(named, acts) && nowMs < 0) throw new LocksNeeded();',
    tests,
  },
  {
    name: 'every message to an account with stop words locks its contact',
    file: batch,
    find: 'locks = !hasSettings;',
    replace: 'locks = true;',
    tests,
  },
  {
    name: 'changes of opt-outs lock contacts in two steps',
    file: 'src/messaging/opt-outs/change.ts',
    find: '  await lockContactsOf(tx, [...keys.values()]);',
    replace: '  await lockContactsOf(tx, [...keys.values()].slice(99));',
    tests,
  },
  {
    name: 'people who are recorded apart from messages are not locked first',
    file: 'src/messaging/contacts/record-people.ts',
    find: '  await lockPeople(tx, identitiesIn(prepared));',
    replace: '  await lockPeople(tx, identitiesIn(prepared).slice(99));',
    tests,
  },
  {
    name: 'windows are locked in no order',
    file: 'src/messaging/contacts/contacts-store.ts',
    find: 'order by x.a, x.first, w.sender_id for no key update of w',
    replace: 'order by x.a, x.first desc, w.sender_id for no key update of w',
    tests,
  },
  {
    name: 'folding fails after a deadlock with an erasure',
    file: 'src/messaging/conversations/fold.ts',
    find: 'await inTransaction(hot, async (tx) => {',
    replace: 'await hot.transaction().execute(async (tx) => {',
    tests,
  },
  {
    name: 'a contact that another transaction has just created is locked after its identity',
    file: 'src/messaging/contacts/record-people.ts',
    find: 'if (!rows.every((row) => own.has(contactKeyText(row)))) throw',
    replace: 'if (rows.length > 99) throw',
    tests: ['test/db/people.test.ts'],
  },
];
