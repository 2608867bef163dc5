// Mutations of encryption keys, and of the removal of secrets from vendors' responses.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'a start without its key file takes a new key, although the database has secrets',
    file: 'src/encryption-keys.ts',
    find: 'if (used.length > 0)\n    throw',
    replace: 'if (used.length < 0)\n    throw',
    tests: ['test/db/missing-keys.test.ts'],
  },
  {
    name: 'a secret that a vendor repeats is kept',
    file: 'src/base/outgoing/outgoing.ts',
    find: 'resolve(redactResponse(request, { status, headers, body: content, truncated, durationMs }));',
    replace: 'resolve({ status, headers, body: content, truncated, durationMs }); void redactResponse;',
    tests: ['test/api/secrets.test.ts'],
  },
  {
    name: 'a secret that a receiver repeats is kept',
    file: 'src/webhooks/delivery/attempt.ts',
    find: 'keptResponse(response.body, target.secrets)',
    replace: 'keptResponse(response.body)',
    tests: ['test/api/secrets.test.ts'],
  },
  {
    name: 'a password that a calendar server repeats is kept',
    file: 'src/adapters/caldav/calendar.ts',
    find: 'throw redactError(error, [password]);',
    replace: 'throw error; void redactError; void password;',
    tests: ['test/api/secrets.test.ts'],
  },
  {
    name: 'a secret in a streamed rejection is kept',
    file: 'src/base/outgoing/outgoing.ts',
    find: 'if (status >= 300) errorChunks = [];',
    replace: '',
    tests: ['test/base/outgoing-secrets.test.ts'],
  },
  {
    name: 'the decoded credentials of a Basic header are kept',
    file: 'src/base/outgoing/secrets.ts',
    find: "return [rest, Buffer.from(rest, 'base64').toString()];",
    replace: 'return [rest];',
    tests: ['test/base/outgoing-secrets.test.ts'],
  },
  {
    name: 'the fields of a form are kept',
    file: 'src/base/outgoing/secrets.ts',
    find: "if (isForm && typeof body === 'string') secrets.push(...secretFields(new URLSearchParams(body)));",
    replace: 'void isForm; void body;',
    tests: ['test/api/secrets.test.ts'],
  },
];
