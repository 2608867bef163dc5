// Mutations of what survives a failover: commits that wait for a standby, requests that wait for the database, late responses.
import type { Mutation } from '../mutation.ts';

const waits = ['test/db/standby-waits.test.ts'];
const limits = ['test/rules/request-limit.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a commit that waits for a standby never fails for its caller',
    file: 'src/db/session-client.ts',
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
    file: 'src/db/session-client.ts',
    find: '    this.pendingSinceMs = performance.now();\n    const { _activeQuery',
    replace: '    const { _activeQuery',
    tests: waits,
  },
  {
    name: 'a statement after a failed commit is queued behind it',
    file: 'src/db/session-client.ts',
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
  {
    name: 'a session that the server does not have is kept until it has been silent for 35 seconds',
    file: 'src/db/pool.ts',
    find: 'if (!found.present.has(client.serverPid)) client.abandon();\n    else if',
    replace: 'if',
    tests: waits,
  },
  {
    name: 'a server that answers no new connection does not count as stalled',
    file: 'src/db/pool.ts',
    find: 'if (!(error instanceof pg.DatabaseError)) noteStall();',
    replace: '',
    tests: waits,
  },
  {
    name: 'a request waits for a stalled database without a limit',
    file: 'src/http/request-limit.ts',
    find: 'if (isOver(one, maxMs)) one.fail(databaseTooSlow());',
    replace: ';',
    tests: limits,
  },
  {
    name: 'a request that waits for something else than the database is ended',
    file: 'src/http/request-limit.ts',
    find: 'running.size === 0 || !isDatabaseStalled()',
    replace: 'running.size === 0',
    tests: limits,
  },
  {
    name: 'a request whose body still arrives is ended',
    file: 'src/http/request-limit.ts',
    find: "(waitsFor === 'database' || reply.request.raw.complete)",
    replace: 'true',
    tests: limits,
  },
  {
    name: 'a request that waits for its key to be read is not ended, because its body was not read',
    file: 'src/http/request-limit.ts',
    find: "(waitsFor === 'database' || reply.request.raw.complete)",
    replace: 'reply.request.raw.complete',
    tests: limits,
  },
  {
    name: 'a call counts as unanswered although its response arrived while the process stood still',
    file: 'src/base/after-reading.ts',
    find: 'void setImmediate(act)',
    replace: 'act()',
    tests: ['test/base/outgoing.test.ts'],
  },
];
