// Mutations of API keys, webhook endpoints, database errors and shared rounds.
import type { Mutation } from '../mutation.ts';

const accounts = 'src/accounts/store.ts';
const endpoints = 'src/webhooks/endpoints/store.ts';
const rotation = 'src/webhooks/endpoints/endpoint.ts';
const failure = 'src/db/failure.ts';
const keys = ['test/api/keys.test.ts'];
const endpointTests = ['test/api/webhooks-endpoints.test.ts'];
const failures = ['test/db/failure.test.ts'];
const coalesceTests = ['test/rules/coalesce.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a revoked key authenticates',
    file: accounts,
    find: ".where('hash', '=', hash)\n    .where('revoked_at', 'is', null)",
    replace: ".where('hash', '=', hash)",
    tests: keys,
  },
  {
    name: 'a rotated key lives longer than before',
    file: accounts,
    find: 'set expires_at = least(expires_at, ${at}) where',
    replace: 'set expires_at = ${at} where',
    tests: ['test/db/key-use.test.ts'],
  },
  {
    name: 'a key of another account is revoked',
    file: accounts,
    find: "    .set({ revoked_at: now })\n    .where('account_id', '=', accountId)\n",
    replace: '    .set({ revoked_at: now })\n',
    tests: ['test/api/other-accounts.test.ts', ...keys],
  },
  {
    name: 'the last managing keys are revoked together',
    file: accounts,
    find: "    .orderBy('id')\n    .forUpdate()\n",
    replace: "    .orderBy('id')\n",
    tests: [...keys, 'test/db/key-bounds.test.ts'],
  },
  {
    name: 'the last use of a key goes back in time',
    file: accounts,
    find: ' and (k.last_used_at is null or k.last_used_at < ${at})',
    replace: '',
    tests: ['test/db/key-use.test.ts'],
  },
  {
    name: 'concurrent requests exceed the number of endpoints',
    file: endpoints,
    find: '  await sql`select from accounts where id = ${accountId} for update`.execute(tx);\n',
    replace: '',
    tests: endpointTests,
  },
  {
    name: 'an endpoint of another account is found',
    file: endpoints,
    find: 'where id = ${id} and account_id = ${accountId} and status <> ${status.deleted}\n    ${lock',
    replace: 'where id = ${id} and status <> ${status.deleted}\n    ${lock',
    tests: ['test/api/other-accounts.test.ts', ...endpointTests],
  },
  {
    name: 'a deleted endpoint is found',
    file: endpoints,
    find: 'where id = ${id} and account_id = ${accountId} and status <> ${status.deleted}\n    ${lock',
    replace: 'where id = ${id} and account_id = ${accountId}\n    ${lock',
    tests: endpointTests,
  },
  {
    name: 'a deleted endpoint keeps its secret',
    file: endpoints,
    find: "secret = ''::bytea, next_secret = null, overlap_until",
    replace: 'overlap_until',
    tests: endpointTests,
  },
  {
    name: 'a new URL keeps the failures of the old one',
    file: endpoints,
    find: '${change.restart} or url <> ${change.url} as restart',
    replace: '${change.restart} as restart',
    tests: [...endpointTests, 'test/api/webhooks-rests.test.ts', 'test/api/webhooks-trouble.test.ts'],
  },
  {
    name: 'a rotation replaces a secret that no receiver has yet',
    file: rotation,
    find: 'if (overlaps(row, now) && !row.next_activated) {',
    replace: 'if (overlaps(row, now) && row.next_activated) {',
    tests: endpointTests,
  },
  {
    name: 'an old secret signs after its overlap',
    file: 'src/webhooks/endpoints/secrets.ts',
    find: 'if (next && row.overlap_until && row.overlap_until.getTime() <= nowMs)',
    replace: 'if (next && row.overlap_until && row.overlap_until.getTime() <= 0 * nowMs)',
    tests: endpointTests,
  },
  {
    name: 'a new secret signs the body before its activation',
    file: 'src/webhooks/endpoints/secrets.ts',
    find: 'forBody: row.next_activated ? next : current',
    replace: 'forBody: next',
    tests: endpointTests,
  },
  {
    name: 'a statement that exceeded its time limit counts as an unavailable database',
    file: failure,
    find: '57(?!014)...',
    replace: '57...',
    tests: failures,
  },
  {
    name: 'a missing file counts as an unavailable database',
    file: failure,
    find: 'const isSocket = socketCalls.has(syscall) && ',
    replace: 'const isSocket = ',
    tests: failures,
  },
  {
    name: 'a caller gets a result that was computed before its call',
    file: 'src/work/coalesce.ts',
    find: '      ofKey.gathering = undefined;\n',
    replace: '',
    tests: coalesceTests,
  },
  {
    name: 'coalesced calls of a key overlap',
    file: 'src/work/coalesce.ts',
    find: '    ofKey.over = over;\n',
    replace: '    ofKey.over = turn();\n',
    tests: coalesceTests,
  },
  {
    name: 'a lease that could not be released is forgotten',
    file: 'src/work/releases.ts',
    find: '        await deps.clock.sleep(retryEveryMs, stopping.signal);\n',
    replace: '        waiting.clear();\n',
    tests: ['test/rules/releases.test.ts'],
  },
  {
    name: 'a process that stops goes on releasing leases',
    file: 'src/work/releases.ts',
    find: 'while (waiting.size > 0 && !stopping.signal.aborted) {',
    replace: 'while (waiting.size > 0) {',
    tests: ['test/rules/releases.test.ts'],
  },
  {
    name: 'a key that was replaced is rotated again',
    file: 'src/accounts/keys.ts',
    find: '    await requireNotReplaced(tx, input.accountId, old.id);\n',
    replace: '',
    tests: ['test/api/keys.test.ts'],
  },
];
