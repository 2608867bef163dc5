// Mutations of API keys, their rates, and failed authentication.
import type { Mutation } from '../mutation.ts';

const unit = 'test/rules/failed-attempts.test.ts';
const admission = 'test/db/admission.test.ts';
const keyLimit = 'test/db/key-limit.test.ts';
const keyBounds = 'test/db/key-bounds.test.ts';
const keys = 'test/api/keys.test.ts';

export const mutations: Mutation[] = [
  {
    name: 'any number of failed authentications is answered immediately',
    file: 'src/accounts/failed-attempts.ts',
    find: 'if (!isExceeded) return',
    replace: 'if (ttl >= 0) return',
    tests: [unit],
  },
  {
    name: 'any number of failed authentications waits',
    file: 'src/accounts/failed-attempts.ts',
    find: 'if (others >= delayedMax)',
    replace: 'if (others >= 10 * delayedMax)',
    tests: [unit],
  },
  {
    name: 'a failed authentication that has waited still counts as waiting',
    file: 'src/accounts/failed-attempts.ts',
    find: 'const rest = (delayed.get(address) ?? 1) - 1;',
    replace: 'const rest = delayed.get(address) ?? 1;',
    tests: [unit],
  },
  {
    name: 'failed authentication is not limited',
    file: 'src/accounts/admit.ts',
    find: 'if (isUnauthenticated(error)) await rejectFailure(request, error);',
    replace: '',
    tests: [admission],
  },
  {
    name: 'too many failed authentications are answered instead of closed',
    file: 'src/accounts/admit.ts',
    find: 'if (!verdict.isAnswered) request.raw.socket.destroy();',
    replace: 'if (!verdict.isAnswered) throw error;',
    tests: [keys],
  },
  {
    name: 'failures behind an undeclared proxy count against the proxy',
    file: 'src/accounts/admit.ts',
    find: 'if (isBehindUndeclaredProxy(request)) throw error;',
    replace: '',
    tests: [admission],
  },
  {
    name: 'a forwarded address disables the limit although proxies are declared',
    file: 'src/accounts/admit.ts',
    find: 'deps.trustedProxies.length === 0 &&',
    replace: '',
    tests: [admission],
  },
  {
    name: 'each IPv6 address counts separately',
    file: 'src/http/client-address.ts',
    find: 'parsed.parts.slice(0, 4), 0, 0, 0, 0',
    replace: 'parsed.parts',
    tests: [unit],
  },
  {
    name: 'the forwarded address is never read',
    file: 'src/server.ts',
    find: 'trustProxy: deps.trustedProxies.length > 0 ? deps.trustedProxies : false,',
    replace: '',
    tests: [keys],
  },
  {
    name: 'an account has no rate',
    file: 'src/accounts/admit.ts',
    find: 'if (deps.accountRateLimitPerMinute > 0) {',
    replace: 'if (deps.accountRateLimitPerMinute < 0) {',
    tests: [keys],
  },
  {
    name: 'an account may have any number of keys',
    file: 'src/accounts/keys.ts',
    find: 'if ((await countActiveKeys(tx, accountId, new Date(now))) < keysMax) return;',
    replace: 'if (now > 0) return;',
    tests: [keyLimit],
  },
  {
    name: 'concurrent requests exceed the number of keys',
    file: 'src/accounts/keys.ts',
    find: `  await lockAccount(tx, accountId);
  if ((await`,
    replace: '  if ((await',
    tests: [keyLimit],
  },
  {
    name: 'a key grants scopes that it lacks',
    file: 'src/accounts/key-bounds.ts',
    find: 'if (missing.length > 0) {',
    replace: 'if (missing.length > own.scopes.length + 7) {',
    tests: [keyBounds],
  },
  {
    name: 'a key creates one that expires later',
    file: 'src/accounts/key-bounds.ts',
    find: 'if (wanted.expiresAt !== null && wanted.expiresAt.getTime() <= own.expiresAt.getTime()) return;',
    replace: 'if (wanted.expiresAt !== null) return;',
    tests: [keyBounds],
  },
  {
    name: 'an expiring key rotates one that never expires',
    file: 'src/accounts/key-bounds.ts',
    find: 'if (wanted.expiresAt !== null && ',
    replace: 'if (wanted.expiresAt === null || ',
    tests: [keyBounds],
  },
  {
    name: 'a key created without expiry outlives its creator',
    file: 'src/accounts/keys.ts',
    find: 'input.expiresAt ?? (own ? own.expiresAt : null)',
    replace: 'input.expiresAt ?? null',
    tests: [keyBounds],
  },
  {
    name: 'a key is created with any scopes and expiry',
    file: 'src/accounts/keys.ts',
    find: 'if (own) requireWithinBounds(own, { scopes: input.scopes, expiresAt });',
    replace: '',
    tests: [keyBounds],
  },
  {
    name: 'a key is rotated by one with fewer scopes',
    file: 'src/accounts/keys.ts',
    find: 'requireWithinBounds(own, { scopes: old.scopes, expiresAt: old.expires_at });',
    replace: 'void own;',
    tests: [keyBounds],
  },
  {
    name: 'a revoked key in the cache of a process creates keys',
    file: 'src/accounts/caller-bounds.ts',
    find: 'if (!row) throw invalidKey();',
    replace:
      "if (!row) return { scopes: ['messages:send', 'manage'], expiresAt: null, sessionEndsAt: null };",
    tests: [keyBounds],
  },
  {
    name: 'keys created by requests are not limited',
    file: 'src/accounts/routes.ts',
    find: `        scopes,
        creator: request.caller,`,
    replace: '        scopes,',
    tests: [keys],
  },
  {
    name: 'requests wait for a Redis that never responds',
    file: 'src/base/redis.ts',
    find: '  socketTimeout: answerWithinMs,\n',
    replace: '',
    tests: ['test/api/shared-rate.test.ts'],
  },
];
