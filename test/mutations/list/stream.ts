// Mutations of recent changes and event streams.
import type { Mutation } from '../mutation.ts';

const unit = 'test/db/recent-changes.test.ts';
const api = 'test/api/event-stream.test.ts';

export const mutations: Mutation[] = [
  {
    name: 'changes are gathered although nobody listens any more',
    file: 'src/changes/changes.ts',
    find: 'if (deps.clock.steady() <= until) return true;',
    replace: 'if (until >= 0) return true;',
    tests: [unit],
  },
  {
    name: 'changes are written before their transaction commits',
    file: 'src/changes/changes.ts',
    find: `    const due = ripe;
    ripe = gathering;
    gathering = nothing();`,
    replace: `    const due = gathering;
    gathering = nothing();`,
    tests: [unit],
  },
  {
    name: 'changes that cannot be written are lost in silence',
    file: 'src/changes/changes.ts',
    find: "await insertReload(deps.db, 'changes were not recorded').catch(() => undefined);",
    replace: '',
    tests: [unit],
  },
  {
    name: 'a stream lists any number of ids',
    file: 'src/changes/kinds.ts',
    find: 'changed.ids.size >= idsMax &&',
    replace: 'changed.ids.size >= 10 * idsMax &&',
    tests: [unit],
  },
  {
    name: 'a stream shows kinds that its scopes cannot read',
    file: 'src/changes/kinds.ts',
    find: 'if (!scopes.has(kindScopes[kind])) continue;',
    replace: '',
    tests: [unit],
  },
  {
    name: 'a stream shows changes of other accounts',
    file: 'src/stream/stream.ts',
    find: 'else if (row.account_id === this.caller.accountId)',
    replace: 'else',
    tests: [api],
  },
  {
    name: 'a stream shows a change twice',
    file: 'src/stream/listeners.ts',
    find: 'rows.filter(({ id }) => !this.#seen.has(id))',
    replace: 'rows',
    tests: [unit],
  },
  {
    name: 'a stream outlives its key and session',
    file: 'src/stream/stream.ts',
    find: 'return !(error instanceof AppError);',
    replace: 'return error !== undefined;',
    tests: [unit],
  },
  {
    name: 'an unavailable database ends streams',
    file: 'src/stream/stream.ts',
    find: 'return !(error instanceof AppError);',
    replace: 'return error === undefined;',
    tests: [unit],
  },
  {
    name: 'a slow reader fills the memory',
    file: 'src/stream/stream.ts',
    find: 'if (this.#of.sink.isFull()) return nowMs - this.#writtenMs <= stuckMs;',
    replace: '',
    tests: [unit],
  },
  {
    name: 'a reader that never reads keeps its stream',
    file: 'src/stream/stream.ts',
    find: 'return nowMs - this.#writtenMs <= stuckMs;',
    replace: 'return true;',
    tests: [unit],
  },
  {
    name: 'changes during a late poll are lost in silence',
    file: 'src/stream/listeners.ts',
    find: 'if (isLate) stream.requireReload();',
    replace: '',
    tests: [unit],
  },
  {
    name: 'a key has any number of streams',
    file: 'src/stream/listeners.ts',
    find: 'own < limits.perCaller && ',
    replace: 'own >= 0 && ',
    tests: [api],
  },
  {
    name: 'an account has any number of streams',
    file: 'src/stream/listeners.ts',
    find: 'ofAccount < limits.perAccount && ',
    replace: 'ofAccount >= 0 && ',
    tests: [unit],
  },
  {
    name: 'a process has any number of streams',
    file: 'src/stream/listeners.ts',
    find: 'all.length < limits.inAll) return;',
    replace: 'all.length >= 0) return;',
    tests: [unit],
  },
  {
    name: 'other processes do not record changes for a stream',
    file: 'src/parts.ts',
    find: 'processSession.onListeners(changes.listen);',
    replace: '',
    tests: [api],
  },
  {
    name: 'a page that was away for too long misses changes',
    file: 'src/stream/frames.ts',
    find: "return isKnown ? new Date(at) : 'unknown';",
    replace: 'return isKnown ? new Date(at) : undefined;',
    tests: [api],
  },
  {
    name: 'an account opens any number of streams',
    file: 'src/stream/listeners.ts',
    find: 'ofAccount < limits.perAccount &&',
    replace: 'ofAccount < 10 * limits.perAccount &&',
    tests: ['test/api/event-stream.test.ts'],
  },
];
