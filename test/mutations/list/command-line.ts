// Mutations of the command line, and of secrets in files.
import type { Mutation } from '../mutation.ts';

const demonstration = 'test/journeys/start-demonstration.test.ts';
const commands = 'test/journeys/start-commands.test.ts';
const files = 'test/base/secret-files.test.ts';

const users = 'src/db/embedded/users.ts';
const sharing = ['test/db/embedded-commands.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'the command that started the database server stops it under another one',
    file: 'src/db/embedded/start.ts',
    find: 'if (held && isShared && !(await endsUse(held.lockClient).catch(() => true))) {',
    replace: 'if (!held && isShared) {',
    tests: sharing,
  },
  {
    name: 'the last command leaves a database server that another one started',
    file: users,
    find: 'return (await hasGatewayLeft(client)) && (await endsUse(client));',
    replace: 'return false;',
    tests: sharing,
  },
  {
    name: 'a command stops the database server under another one that did not start it either',
    file: users,
    find: 'return (await hasGatewayLeft(client)) && (await endsUse(client));',
    replace: 'return hasGatewayLeft(client);',
    tests: sharing,
  },
  {
    name: 'a command stops the database server under the gateway or command that started it',
    file: users,
    find: "if (await isTrue(client, 'pg_try_advisory_lock($1, $2)', gatewayLock)) return true;",
    replace: 'return true;',
    tests: sharing,
  },
  {
    name: 'a command that is interrupted does not end its use of the database server',
    file: 'src/open-database.ts',
    find: '  if (use && !use.isOfGateway) where.onServer?.(() => use.end());\n',
    replace: '',
    tests: sharing,
  },
  {
    name: 'the key of a command is not revoked when it ends',
    file: 'src/commands/call-gateway.ts',
    find: 'await onDatabase(({ db }) => revoke({ db, clock: systemClock }, { accountId, keyId }));',
    replace: '',
    tests: [demonstration],
  },
  {
    name: 'listen leaves its endpoint behind',
    file: 'src/commands/listen.ts',
    find: 'if (!options.endpoint) await gateway.deleteEndpoint',
    replace: 'if (options.endpoint) await gateway.deleteEndpoint',
    tests: [demonstration],
  },
  {
    name: 'listen forwards the newest webhook first',
    file: 'src/commands/listen.ts',
    find: 'for (const id of found.sort()) {',
    replace: 'for (const id of found.sort().reverse()) {',
    tests: [demonstration],
  },
  {
    name: 'a document that says ok: false ends with exit code 0',
    file: 'src/command-line/run.ts',
    find: "if ('ok' in document && document.ok === false)",
    replace: "if ('ok' in document && document.ok === undefined)",
    tests: [demonstration],
  },
  {
    name: 'wrong usage ends with exit code 1',
    file: 'src/command-line/run.ts',
    find: 'process.exitCode = isAsked ? exitCodes.done : exitCodes.usage;',
    replace: 'process.exitCode = isAsked ? exitCodes.done : exitCodes.failed;',
    tests: [commands],
  },
  {
    name: 'a credential of systemd replaces a variable',
    file: 'src/base/secret-files.ts',
    find: 'else if (!hasValue && env.CREDENTIALS_DIRECTORY)',
    replace: 'else if (env.CREDENTIALS_DIRECTORY)',
    tests: [files],
  },
  {
    name: 'a setting and its file are both accepted',
    file: 'src/base/secret-files.ts',
    find: 'if (path !== undefined && hasValue)',
    replace: 'if (path === undefined && hasValue && path !== undefined)',
    tests: [files],
  },
  {
    name: 'texts of other systems control the terminal of a command',
    file: 'src/commands/output.ts',
    find: 'text.replace(controls, visible)',
    replace: 'text',
    tests: ['test/rules/command-output.test.ts'],
  },
  {
    name: 'an interrupted command leaves its database server running',
    file: 'src/commands/interruption.ts',
    find: 'void stop().then(end, end);',
    replace: 'end();',
    tests: ['test/journeys/interrupted-commands.test.ts'],
  },
  {
    name: 'a signal that npm passes on counts as a second one',
    file: 'src/commands/interruption.ts',
    find: 'if (nowMs - firstAtMs < sameSignalMs) return;',
    replace: '',
    tests: ['test/journeys/interrupted-commands.test.ts'],
  },
  {
    name: 'an interrupted start leaves its database server running',
    file: 'src/commands/interruption.ts',
    find: "signal.addEventListener('abort', () => void stop(), { signal: opened.signal });",
    replace: 'void [signal, stop];',
    tests: ['test/journeys/interrupted-commands.test.ts'],
  },
];
