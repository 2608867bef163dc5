// Mutations of per-key queues.
import type { Mutation } from '../mutation.ts';

const file = 'src/work/keyed-queue.ts';
const tests = ['test/rules/keyed-queue.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'an item starts although its lease has expired',
    file,
    find: 'if (nowMs <= next.startBeforeMs) return next;',
    replace: 'return next;',
    tests,
  },
  {
    name: 'the last item of a priority starts first',
    file,
    find: 'for (let next = level.shift(); next; next = level.shift())',
    replace: 'for (let next = level.pop(); next; next = level.pop())',
    tests,
  },
  {
    name: 'a key is removed while its work runs',
    file,
    find: 'subqueue.running > 0 || ',
    replace: '',
    tests,
  },
  {
    name: 'a replaced subqueue removes its successor',
    file,
    find: ' || this.find(subqueue.key) !== subqueue',
    replace: '',
    tests,
  },
];
