// Mutations of idempotency keys.
import type { Mutation } from '../mutation.ts';

const keys = 'src/db/idempotency-keys.ts';
const consult = 'src/http/idempotency.ts';
const states = ['test/db/idempotency-keys.test.ts'];
const sends = ['test/api/send-idempotency.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'an active key is replaced by another request',
    file: keys,
    find: "\n    where k.created_at <= now() - interval '24 hours'\n  returning subject_id",
    replace: '\n  returning subject_id',
    tests: states,
  },
  {
    name: 'a key is valid for longer than 24 hours',
    file: keys,
    find: "\n      and created_at > now() - interval '24 hours'`",
    replace: '`',
    tests: states,
  },
  {
    name: 'a key whose first request is in progress is taken over',
    file: keys,
    find: '      and leased_until <= now() and status is null\n',
    replace: '      and status is null\n',
    tests: states,
  },
  {
    name: 'a key with a stored response is taken over',
    file: keys,
    find: '      and leased_until <= now() and status is null\n',
    replace: '      and leased_until <= now()\n',
    tests: states,
  },
  {
    name: 'a later response replaces the stored one',
    file: keys,
    find: 'where k.subject_id = x.subject_id and k.status is null returning',
    replace: 'where k.subject_id = x.subject_id returning',
    tests: states,
  },
  {
    name: 'releasing a key twice extends its lease',
    file: keys,
    find: 'leased_until = least(leased_until, now())',
    replace: 'leased_until = now()',
    tests: states,
  },
  {
    name: 'a key with a stored response gets another subject',
    file: keys,
    find: '      and status is null`.execute(tx);',
    replace: '`.execute(tx);',
    tests: states,
  },
  {
    name: 'the key of an answered request is freed',
    file: keys,
    find: 'delete from idempotency_keys where subject_id = ${subjectId} and status is null`',
    replace: 'delete from idempotency_keys where subject_id = ${subjectId}`',
    tests: states,
  },
  {
    name: 'keys are deleted before their 24 hours are over',
    file: keys,
    find: "where created_at <= now() - interval '24 hours' limit ${limit} for update skip locked",
    replace: 'where created_at <= now() limit ${limit} for update skip locked',
    tests: states,
  },
  {
    name: 'a key is accepted for any body',
    file: consult,
    find: '  if (!of.isSameBody(row.fingerprint)) throw keyReused();\n',
    replace: '',
    tests: sends,
  },
  {
    name: 'a repeat is answered while the first request is in progress',
    file: consult,
    find: 'if (!row.leased && (await takeOverKey(db, of)))',
    replace: 'if ((await takeOverKey(db, of)) || row)',
    tests: states,
  },
  {
    name: 'two repeats continue the same request',
    file: consult,
    find: 'if (!row.leased && (await takeOverKey(db, of)))',
    replace: 'if (!row.leased)',
    tests: states,
  },
  {
    name: 'a key is valid for another account',
    file: keys,
    find: 'join idempotency_keys k on k.account_id = x.account_id and k.operation',
    replace: 'join idempotency_keys k on k.operation',
    tests: states,
  },
  {
    name: 'a key is valid for every operation',
    file: keys,
    find: ' and k.operation = x.operation and k.key = x.key',
    replace: ' and k.key = x.key',
    tests: states,
  },
  {
    name: 'a booking replaces the active key of another',
    file: 'src/appointments/booking/holds-store.ts',
    find: "\n        where k.created_at <= now() - interval '24 hours'\n      returning subject_id),",
    replace: '\n      returning subject_id),',
    tests: ['test/db/booking-states.test.ts'],
  },
  {
    name: 'a hold is inserted although its key belongs to another booking',
    file: 'src/appointments/booking/holds-store.ts',
    find: 'from given where id in (select subject_id from keyed)\n',
    replace: 'from given\n',
    tests: ['test/db/booking-states.test.ts'],
  },
];
