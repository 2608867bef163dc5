// Mutations of inbound messages and contacts.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'manage does not include the scope of conversations',
    file: 'src/contract/envelope.ts',
    find: "own.includes('manage') ? [...own, ...includedInManage] : own",
    replace: 'own',
    tests: ['test/db/key-bounds.test.ts'],
  },
];
