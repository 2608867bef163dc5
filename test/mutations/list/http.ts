// Mutations of the HTTP edge.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'an empty Idempotency-Key counts as absent',
    file: 'src/http/idempotency.ts',
    find: 'if (header === undefined) {',
    replace: "if (header === undefined || header === '') {",
    tests: ['test/rules/http-forms.test.ts'],
  },
  {
    name: 'the items of an array that is too long are checked',
    file: 'src/http/body-problems.ts',
    find: `    if (!checkSize(value, pointer, list)) return false;
    let isValid = true;
    for (const [index, item]`,
    replace: `    if (!Array.isArray(value)) return false;
    let isValid = true;
    for (const [index, item]`,
    tests: ['test/api/bad-input.test.ts'],
  },
  {
    name: 'validation continues after 100 problems in an array',
    file: 'src/http/body-problems.ts',
    find: `      if (list.isFull) return false;
      if (!visitItem`,
    replace: '      if (!visitItem',
    tests: ['test/api/bad-input.test.ts'],
  },
  {
    name: 'a validator collects more problems than a response lists',
    file: 'src/http/body-problems.ts',
    find: 'if (this.isFull || this.#paths.has(path)) return;',
    replace: 'if (this.#paths.has(path)) return;',
    tests: ['test/api/bad-input.test.ts'],
  },
  {
    name: 'Ajv collects every error of a body',
    file: 'src/http/validation.ts',
    find: 'const bodies = compiler({ allErrors: false });',
    replace: 'const bodies = compiler({ allErrors: true });',
    tests: ['test/api/bad-input.test.ts'],
  },
  {
    name: 'a response lists every problem',
    file: 'src/base/errors.ts',
    find: 'if (listed.length === listedProblemsMax || bytes > listMaxBytes)',
    replace: 'if (bytes > listMaxBytes)',
    tests: ['test/rules/http-forms.test.ts'],
  },
  {
    name: 'the list of problems may have any number of bytes',
    file: 'src/base/errors.ts',
    find: 'if (listed.length === listedProblemsMax || bytes > listMaxBytes)',
    replace: 'if (listed.length === listedProblemsMax)',
    tests: ['test/rules/http-forms.test.ts'],
  },
  {
    name: 'a body that is not UTF-8 is read',
    file: 'src/http/json.ts',
    find: '!isUtf8(body as Buffer)',
    replace: 'false',
    tests: ['test/api/http-envelope.test.ts'],
  },
  {
    name: 'a huge object is parsed',
    file: 'src/http/json-limits.ts',
    find: 'if (count > membersMax)',
    replace: 'if (count < 0)',
    tests: ['test/rules/http-forms.test.ts'],
  },
  {
    name: 'texts that cannot be stored are collected without a limit',
    file: 'src/http/storable.ts',
    find: '    if (found.length > listedProblemsMax) return;\n',
    replace: '',
    tests: ['test/rules/http-forms.test.ts'],
  },
  {
    name: 'any number of unauthenticated bodies are read at a time',
    file: 'src/http/unauthenticated-body.ts',
    find: 'if (free[kind] === 0) {',
    replace: 'if (free[kind] === -1) {',
    tests: ['test/base/unauthenticated-body.test.ts'],
  },
  {
    name: 'an unauthenticated body frees its capacity before its signature is verified',
    file: 'src/http/unauthenticated-body.ts',
    find: 'return await verify(',
    replace: 'return verify(',
    tests: ['test/base/unauthenticated-body.test.ts'],
  },
  {
    name: 'an unauthenticated body may take any time',
    file: 'src/http/unauthenticated-body.ts',
    find: 'const timer = setTimeout(onTimeout, timeoutMs);',
    replace: 'const timer = setTimeout(onTimeout, 60_000 + timeoutMs);',
    tests: ['test/base/unauthenticated-body.test.ts'],
  },
  {
    name: 'an unauthenticated body of undeclared length is limited to a small buffer',
    file: 'src/http/unauthenticated-body.ts',
    find: 'if (slot.isLarge || bytes <= limits.smallMaxBytes) return;',
    replace: 'if (bytes > 0) return;',
    tests: ['test/base/unauthenticated-body.test.ts'],
  },
  {
    name: 'an unauthenticated body of undeclared length may have any size',
    file: 'src/http/unauthenticated-body.ts',
    find: '    if (bytes > limits.maxBytes) throw tooLarge();\n',
    replace: '',
    tests: ['test/base/unauthenticated-body.test.ts'],
  },
  {
    name: 'a connection whose body never arrives stays open after the response',
    file: 'src/http/close-unread.ts',
    find: 'if (!raw.complete) raw.socket.destroy();',
    replace: 'if (raw.complete) raw.socket.destroy();',
    tests: ['test/base/unauthenticated-body.test.ts'],
  },
  {
    name: 'a callback’s body is read before its signature header and sender are checked',
    file: 'src/messaging/callback.ts',
    find: `    if (!deps.platform.canBeSigned(received(deps, request))) throw notSigned();
    await apps.of(`,
    replace: '    void (',
    tests: ['test/api/messaging-callback.test.ts'],
  },
  {
    name: 'the body of a request without a route is read',
    file: 'src/server.ts',
    find: 'request.is404 ? noRouteError(request) : missingHost(request)',
    replace: 'missingHost(request)',
    tests: ['test/api/messaging-callback.test.ts'],
  },
  {
    name: 'a list of instants until an earlier one is empty instead of a 400',
    file: 'src/http/validation.ts',
    find: 'return isEmptyRange(data) ? { error: [emptyRange] as never } : storable(data);',
    replace: 'return storable(data);',
    tests: ['test/rules/list-filters.test.ts'],
  },
  {
    name: 'an upload is read although it is compressed',
    file: 'src/server.ts',
    find: 'held() : compressedBody(request)',
    replace: 'held() : undefined',
    tests: ['test/api/http-envelope.test.ts'],
  },
  {
    name: 'the body of a sign-in may take minutes',
    file: 'src/accounts/session-routes.ts',
    find: `      bodyLimit: signInMaxBytes,
      onRequest: [fromOwnPage(deps), limitBodyTime()],
    },
    async (request, reply) => {`,
    replace: `      bodyLimit: signInMaxBytes,
      onRequest: fromOwnPage(deps),
    },
    async (request, reply) => {`,
    tests: ['test/api/sessions.test.ts'],
  },
];
