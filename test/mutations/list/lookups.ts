// Mutations of DNS look-ups.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'any number of new names are looked up at a time',
    file: 'src/base/outgoing/turns.ts',
    find: 'if (running === max)',
    replace: 'if (running < 0)',
    tests: ['test/base/outgoing-lookup.test.ts'],
  },
  {
    name: 'a domain with many new names delays all others',
    file: 'src/base/outgoing/turns.ts',
    find: 'for (const label of pathOf(hostname)) {',
    replace: 'for (const label of pathOf(hostname).slice(3)) {',
    tests: ['test/base/outgoing-lookup.test.ts'],
  },
  {
    name: 'names are looked up for callers that gave up',
    file: 'src/base/outgoing/lookup.ts',
    find: 'if (waitedMs > abandonedMs) throw abandoned();',
    replace: '',
    tests: ['test/base/outgoing-lookup.test.ts'],
  },
];
