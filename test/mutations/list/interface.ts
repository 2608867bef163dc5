// Mutations of the interface document and the client.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'the client repeats a POST without a key after a lost response',
    file: 'client/src/retries.ts',
    find: "const isSafe = method !== 'POST' || 'Idempotency-Key' in headers;",
    replace: 'const isSafe = true;',
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
];
