// Failed authentication: the first failures of a minute get immediate responses, later ones are delayed, with a limit.
import { expect, test } from 'vitest';
import { openFailedAttempts } from '../../src/accounts/failed-attempts.ts';
import { addressKey, isPrivateAddress } from '../../src/http/client-address.ts';

/** A limiter with a clock that the test controls. */
function open(limit: number) {
  const counts = new Map<string, number>();
  const waits: { ms: number; over: () => void }[] = [];
  const failed = openFailedAttempts<string>({
    count: async (address) => {
      const count = (counts.get(address) ?? 0) + 1;
      counts.set(address, count);
      return { isAllowed: false, isExceeded: count > limit, ttl: 30_500 };
    },
    wait: (ms) => new Promise<void>((resolve) => waits.push({ ms, over: resolve })),
  });
  return { failed: (address = 'a') => failed(address, address), waits, counts };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('does not delay the first failures of a minute', async () => {
  const { failed, waits } = open(3);
  for (let n = 0; n < 3; n++) expect(await failed()).toEqual({ isAnswered: true });
  expect(waits).toEqual([]);
});

test('delays later failures by a second, with Retry-After for the rest of the minute', async () => {
  const { failed, waits } = open(0);
  let verdict: unknown;
  void failed().then((given) => {
    verdict = given;
  });
  await turn();
  expect([verdict, waits.map(({ ms }) => ms)]).toEqual([undefined, [1_000]]);
  waits[0]?.over();
  await turn();
  expect(verdict).toEqual({ isAnswered: true, retryAfterSeconds: 30 });
});

test('delays up to 20 failures of an address at a time; others get no response until one has ended', async () => {
  const { failed, waits } = open(0);
  const held = Array.from({ length: 20 }, () => failed());
  await turn();
  expect(await failed()).toEqual({ isAnswered: false });
  expect(waits).toHaveLength(20);
  const other = failed('b');
  await turn();
  expect(waits).toHaveLength(21);
  waits[0]?.over();
  await held[0];
  const next = failed();
  await turn();
  expect(waits).toHaveLength(22);
  expect(await failed()).toEqual({ isAnswered: false });
  for (const { over } of waits) over();
  expect(await Promise.all([...held.slice(1), next, other])).toHaveLength(21);
  // none is delayed any more: all 20 slots are free again
  const again = Array.from({ length: 20 }, () => failed());
  await turn();
  expect(waits).toHaveLength(42);
  for (const { over } of waits) over();
  for (const one of await Promise.all(again)) expect(one).toMatchObject({ isAnswered: true });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:443', '192.0.2.1'],
  [' 192.0.2.1 ', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
  ['[2001:db8:1:3::1]', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['unknown', 'unknown'],
])('the address %s counts as %s', (text, key) => expect(addressKey(text)).toBe(key));

test('isPrivateAddress is true for loopback, private and shared networks, and false for public and malformed addresses', () => {
  const privates = ['127.0.0.1', '::1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.1.1', '100.64.0.1'];
  for (const text of [...privates, 'fd00::1', 'fe80::1', '::ffff:10.0.0.1'])
    expect([text, isPrivateAddress(text)]).toEqual([text, true]);
  for (const text of ['8.8.8.8', '172.32.0.1', '2606:4700::1', '::ffff:8.8.8.8', '', 'unknown'])
    expect([text, isPrivateAddress(text)]).toEqual([text, false]);
});

test('a malformed address is counted by its first 64 characters', () => {
  expect(addressKey('x'.repeat(10_000))).toBe('x'.repeat(64));
});
