// The forms of REDIS_URL: one server, sentinels, cluster.
import { expect, test } from 'vitest';
import { parseRedisAddress } from '../../src/base/redis-address.ts';

test.each(['redis://127.0.0.1:6379', 'rediss://user:pass@redis.example/2'])('%s is one server', (url) => {
  expect(parseRedisAddress(url)).toEqual({ kind: 'server', url });
});

test('the address of sentinels has their hosts, the primary’s name and both logins', () => {
  const text =
    'rediss+sentinel://app:p%40ss@s1:26380,s2,[::1]:26381/my%20primary?db=3&sentinelPassword=secret';
  expect(parseRedisAddress(text)).toEqual({
    kind: 'sentinel',
    sentinels: [
      { host: 's1', port: 26_380 },
      { host: 's2', port: 26_379 },
      { host: '::1', port: 26_381 },
    ],
    name: 'my primary',
    login: { username: 'app', password: 'p@ss' },
    sentinelPassword: 'secret',
    db: 3,
    tls: true,
  });
});

test('the address of a cluster has its nodes', () => {
  expect(parseRedisAddress('redis+cluster://:secret@c1:7000,c2')).toEqual({
    kind: 'cluster',
    nodes: [
      { host: 'c1', port: 7000 },
      { host: 'c2', port: 6379 },
    ],
    login: { password: 'secret' },
    tls: false,
  });
});

test.each([
  'http://127.0.0.1',
  'redis+sentinel://:hidden@s1:26379',
  'redis+sentinel://s1:26379/name?db=x',
  'redis+cluster://c1:99999',
  'redis+cluster://c1/0',
  'redis+cluster://',
  'redis://c1:6379,c2:6379',
])('%s is rejected without its text', (text) => {
  expect(() => parseRedisAddress(text)).toThrow();
  expect(() => parseRedisAddress(text)).not.toThrow(/hidden/);
});
