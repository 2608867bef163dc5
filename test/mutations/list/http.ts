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
];
