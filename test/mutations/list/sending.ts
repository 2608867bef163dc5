// Mutations of sending.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'a message that is not queued any more is marked again',
    file: 'src/messaging/sending/store.ts',
    find: 'm.state = 0 and m.expires_at > now()',
    replace: 'm.expires_at > now()',
    tests: ['test/db/message-moves.test.ts'],
  },
];
