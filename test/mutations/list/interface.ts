// Mutations of the interface document and the client.
import type { Mutation } from '../mutation.ts';

const responses = 'src/http/openapi-responses.ts';

export const mutations: Mutation[] = [
  {
    name: 'the client repeats a POST without a key after a lost response',
    file: 'client/src/retries.ts',
    find: "const isSafe = method !== 'POST' || 'Idempotency-Key' in headers;",
    replace: 'const isSafe = true;',
    tests: ['test/client/client.test.ts'],
  },
  {
    name: 'the client reports a deletion that never happened',
    file: 'client/src/client.ts',
    find: 'if (mayBeDone && call.deleted',
    replace: 'if (call.deleted',
    tests: ['test/client/client.test.ts'],
  },
  {
    name: 'the client waits for any Retry-After',
    file: 'client/src/retries.ts',
    find: 'if (requestedMs > retryAfterMaxMs) return undefined;',
    replace: '',
    tests: ['test/client/client.test.ts'],
  },
  {
    name: 'the client verifies webhooks with an empty key',
    file: 'client/src/webhook-parts.ts',
    find: 'if (key.length === 0)',
    replace: 'if (key.length < 0)',
    tests: ['test/api/webhooks-receiver.test.ts'],
  },
  {
    name: 'the document has the schemas of validation instead of the documented ones',
    file: 'src/http/openapi-schemas.ts',
    find: 'if (isObject(schema.documentedAs)) return rewritten(schema.documentedAs);',
    replace: '',
    tests: ['test/api/openapi.test.ts'],
  },
  {
    name: 'the document omits an error code of an operation',
    file: 'src/contract/template-operations.ts',
    find: "errors: ['template_not_found'],\n    message: 'Template found.',",
    replace: "message: 'Template found.',",
    tests: ['test/api/templates.test.ts'],
  },
  {
    name: 'the document leaves out that a rate is limited',
    file: responses,
    find: "    'rate_limited',\n",
    replace: '',
    tests: ['test/api/keys.test.ts'],
  },
  {
    name: 'the document leaves out that a database can be unavailable',
    file: responses,
    find: "    'database_unavailable',\n",
    replace: '',
    tests: ['test/api/database-unavailable.test.ts'],
  },
  {
    name: 'the document leaves out that a body can be too large',
    file: responses,
    find: "(['body_too_large', 'unsupported_media_type'] as const)",
    replace: "(['unsupported_media_type'] as const)",
    tests: ['test/api/bad-input.test.ts', 'test/api/http-envelope.test.ts'],
  },
  {
    name: 'the document leaves out that a key can be reused',
    file: responses,
    find: "(['idempotency_in_progress', 'idempotency_key_reused'] as const)",
    replace: "(['idempotency_in_progress'] as const)",
    tests: ['test/api/send-idempotency.test.ts'],
  },
  {
    name: 'a response lacks a field that the document requires',
    file: 'src/messaging/messages/presenter.ts',
    find: '    templateId: send.templateId,\n    total: messages.length,',
    replace: '    total: messages.length,',
    tests: ['test/api/send-idempotency.test.ts'],
  },
  {
    name: 'the document writes null among the values of an enumeration',
    file: 'src/http/openapi-schemas.ts',
    find: "return { description, ...rest, anyOf: [values, { type: 'null' }] };",
    replace: 'return { description, ...rest, ...values, enum: [...(values.enum as Json[]), null] };',
    tests: ['test/api/openapi.test.ts'],
  },
  {
    name: 'the failures of the document allow members of any name',
    file: 'src/http/openapi-document.ts',
    find: 'plain({ ...Failure, additionalProperties: undefined })',
    replace: 'plain(Failure)',
    tests: ['test/api/openapi.test.ts'],
  },
  {
    name: 'a list of the client is asked for each time it is awaited',
    file: 'client/src/pages.ts',
    find: 'this.#awaited ??= this',
    replace: 'this.#awaited = this',
    tests: ['test/client/client.test.ts'],
  },
];
