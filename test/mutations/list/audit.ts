// Mutations of the audit log.
import type { Mutation } from '../mutation.ts';

const tests = ['test/api/audit.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the audit log keeps fields that the contract does not list',
    file: 'src/audit/store.ts',
    find: 'Object.fromEntries(fields.map((field) => [field, changes[field]]))',
    replace: '{ ...changes, fields: undefined }',
    tests,
  },
  {
    name: 'the audit log keeps secrets in addresses',
    file: 'src/webhooks/endpoints/endpoint.ts',
    find: 'return `${origin}${pathname}`;',
    replace: 'return origin && pathname && url;',
    tests,
  },
  {
    name: 'the audit log does not know who acts',
    file: 'src/server.ts',
    find: 'actingAs({ kind, id, name, address: request.ip }, done);',
    replace: 'done();',
    tests,
  },
  {
    name: 'the audit log shows changes of other accounts',
    file: 'src/audit/store.ts',
    find: ".where('account_id', '=', accountId)",
    replace: ".where('account_id', 'is not', null)",
    tests,
  },
  {
    name: 'a session that nobody ended is recorded as ended',
    file: 'src/accounts/sessions.ts',
    find: 'if (deleted !== undefined) await audit(',
    replace: 'await audit(',
    tests,
  },
];
