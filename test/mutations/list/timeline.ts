// Mutations of message timelines.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: "a platform time in whole seconds comes before the gateway's own",
    file: 'src/messaging/messages/timeline.ts',
    find: 'latestMs = Math.max(latestMs, at.getTime());',
    replace: 'latestMs = at.getTime();',
    tests: ['test/rules/message-stages.test.ts'],
  },
  {
    name: 'a failure by the gateway itself has a platform time',
    file: 'src/messaging/messages/presenter.ts',
    find: 'isFailureReported: row.wamid !== null',
    replace: 'isFailureReported: true',
    tests: ['test/api/messages.test.ts'],
  },
];
