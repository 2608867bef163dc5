// Mutations of what survives a failover: commits that wait for a standby.
import type { Mutation } from '../mutation.ts';

const waits = ['test/db/standby-waits.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a commit that waits for a standby never fails for its caller',
    file: 'src/db/pool.ts',
    find: 'fail.call(query, this.fatalError as Error);',
    replace: '',
    tests: waits,
  },
  {
    name: 'a session whose commit waits for a standby is replaced, so that sessions add up on the server',
    file: 'src/db/pool.ts',
    find: 'if (client.standbyWait) return void client.standbyWait.then(() => end(true));',
    replace: '',
    tests: waits,
  },
  {
    name: 'a session that waits for a standby is closed like one of a vanished server',
    file: 'src/db/pool.ts',
    find: '    this.pendingSinceMs = performance.now();\n    const { _activeQuery',
    replace: '    const { _activeQuery',
    tests: waits,
  },
  {
    name: 'a statement after a failed commit is queued behind it',
    file: 'src/db/pool.ts',
    find: 'if (this.standbyWait) return Promise.reject(this.fatalError);',
    replace: '',
    tests: waits,
  },
  {
    name: 'a statement waits for a session while all of them wait for a standby',
    file: 'src/db/pool.ts',
    find: 'if (held.size >= pool.options.max && everyWaits(held)) throw new StandbyWaitError();',
    replace: '',
    tests: waits,
  },
  {
    name: 'any slow statement counts as one that waits for a standby',
    file: 'src/db/standby-waits.ts',
    find: "(wait_event = 'SyncRep'",
    replace: '(true',
    tests: waits,
  },
  {
    name: 'a pool does not close while commits wait for a standby',
    file: 'src/db/pool.ts',
    find: 'for (const client of held) if (client.standbyWait) client.abandon();',
    replace: '',
    tests: waits,
  },
  {
    name: 'asynchronous standbys are not reported',
    file: 'src/db/durability.ts',
    find: "synchronousStandbyNames === '' && standbys > 0",
    replace: 'false',
    tests: ['test/db/durability.test.ts'],
  },
  {
    name: 'the settings of a role or database are not read',
    file: 'src/db/durability.ts',
    find: "current_setting('synchronous_commit') as",
    replace: "(select boot_val from pg_settings where name = 'synchronous_commit') as",
    tests: ['test/db/durability.test.ts'],
  },
  {
    name: 'the error about REDIS_URL does not list the allowed forms for a sentinel without a name',
    file: 'src/base/redis-address.ts',
    find: "if (path === '')",
    replace: 'if (false)',
    tests: ['test/rules/redis-address.test.ts'],
  },
  {
    name: 'a statement behind a commit that waits for a standby never fails for its caller',
    file: 'src/db/standby-waits.ts',
    find: "wait_event_type = 'Lock'",
    replace: 'false',
    tests: waits,
  },
];
