// Mutations of connecting numbers and of their checks.
import type { Mutation } from '../mutation.ts';

const rules = ['test/rules/sender-checks.test.ts'];
const api = ['test/api/sender-connect.test.ts', 'test/api/sender-checks.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a change of a check is reported after one run',
    file: 'src/messaging/senders/stored-checks.ts',
    find: ' || result.status !== last.status)',
    replace: ')',
    tests: rules,
  },
  {
    name: 'a check that could not be made is reported as a change',
    file: 'src/messaging/senders/stored-checks.ts',
    find: "result.status === 'unknown' || ",
    replace: '',
    tests: rules,
  },
  {
    name: 'a halt that only a person can end ends by itself',
    file: 'src/messaging/senders/ended-halts.ts',
    find: ' && platform.isTemporary(rejection)',
    replace: '',
    tests: ['test/api/resumed-numbers.test.ts'],
  },
  {
    name: 'a number that cannot send is resumed',
    file: 'src/messaging/senders/ended-halts.ts',
    find: ' || number?.isRegistered !== true',
    replace: ' || number === undefined',
    tests: ['test/api/resumed-numbers.test.ts'],
  },
  {
    name: 'a number is resumed as soon as it is halted',
    file: 'src/messaging/senders/ended-halts.ts',
    find: 'at.getTime() >= leastMs',
    replace: 'at.getTime() >= 0',
    tests: ['test/api/resumed-numbers.test.ts'],
  },
  {
    name: 'a run of the checks replaces what a later one has read',
    file: 'src/messaging/senders/stored-checks.ts',
    find: 'aheadMs > 0 && ',
    replace: 'aheadMs > longestMs && ',
    tests: ['test/db/sender-check-races.test.ts'],
  },
  {
    name: 'a clock that was ahead holds up the checks',
    file: 'src/messaging/senders/stored-checks.ts',
    find: ' && aheadMs < longestMs',
    replace: '',
    tests: ['test/db/sender-check-races.test.ts'],
  },
  {
    name: 'the address of another program is replaced',
    file: 'src/messaging/senders/subscribe.ts',
    find: "if (way === 'app') await",
    replace: 'await',
    tests: api,
  },
  {
    name: 'an address that only begins like ours counts as ours',
    file: 'src/messaging/senders/subscribe.ts',
    find: 'url.startsWith(`${publicUrl}/`)',
    replace: 'url.startsWith(publicUrl)',
    tests: rules,
  },
  {
    name: 'an override is set before the subscription',
    file: 'src/adapters/meta/onboarding.ts',
    find: "      await client.call(sender, { method: 'POST', path, timeoutMs });\n      if (!override) return;",
    replace:
      "      if (!override) return void (await client.call(sender, { method: 'POST', path, timeoutMs }));",
    tests: api,
  },
  {
    name: 'a sender is removed although its app’s callbacks could not be moved',
    file: 'src/messaging/senders/manage.ts',
    find: '  await handOver(deps, row, others);',
    replace: '  await handOver(deps, row, others).catch(() => undefined);',
    tests: api,
  },
  {
    name: 'a token without a permission is stored',
    file: 'src/messaging/senders/credential.ts',
    find: 'missingPermissions.length > 0',
    replace: 'missingPermissions.length > 9',
    tests: api,
  },
  {
    name: 'a permission for another business account counts',
    file: 'src/adapters/meta/onboarding.ts',
    find: 'return !Array.isArray(targets) || ',
    replace: 'return true || ',
    tests: api,
  },
  {
    name: 'a rate that the account chose follows the platform',
    file: 'src/messaging/senders/states-store.ts',
    find: 'and follows_throughput and',
    replace: 'and',
    tests: api,
  },
  {
    name: 'a halted number is not reported',
    file: 'src/messaging/senders/halt.ts',
    find: "[row.was_halted ? haltGrew : statusChange('halted')]",
    replace: '[]',
    tests: api,
  },
  {
    name: 'other processes are not told that a number was added',
    file: 'src/app.ts',
    find: '      await notifyWork(parts.db, parts.processId);\n',
    replace: '',
    tests: ['test/api/messaging-callback.test.ts'],
  },
  {
    name: 'the process that adds a number keeps what it knew of its app',
    file: 'src/app.ts',
    find: '      callbackApps.clear();\n',
    replace: '',
    tests: ['test/api/messaging-callback.test.ts'],
  },
];
