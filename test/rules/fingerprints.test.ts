// Fingerprints of request bodies: equal for equal JSON, and useless without the key.
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeKey, parseKeyRing } from '../../src/base/cipher.ts';
import { openKeyedHash } from '../../src/base/keyed-hash.ts';
import { fingerprintOf } from '../../src/http/idempotency.ts';
import { fc } from '../harness/property.ts';

describe('the fingerprint of a body', () => {
  const keyedHash = openKeyedHash(parseKeyRing(makeKey()));
  const same = (one: unknown, other: unknown) =>
    fingerprintOf(keyedHash, one).isSameBody(fingerprintOf(keyedHash, other).fingerprint);

  const reordered = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(reordered)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, member]) => [key, reordered(member)]),
          )
        : value;

  it('is equal for another order of members, and different for any other value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const body: unknown = JSON.parse(JSON.stringify(value));
        expect(same(reordered(body), body)).toBe(true);
        expect(same([body], body)).toBe(false);
      }),
    );
    expect(same({ a: 1 }, { a: '1' })).toBe(false);
    expect(same([1, 2], [2, 1])).toBe(false);
    expect(same({ a: { b: 1 } }, { a: { c: 1 } })).toBe(false);
  });

  it('cannot be compared with a body without the key', () => {
    const ring = () => openKeyedHash(parseKeyRing(`k1:${randomBytes(32).toString('base64')}`));
    const [one, other] = [ring(), ring()];
    const { fingerprint } = fingerprintOf(one, { code: '123456' });
    expect(fingerprintOf(other, { code: '123456' }).isSameBody(fingerprint)).toBe(false);
    expect(fingerprint.includes(createHash('sha256').update('{"code":"123456"}').digest())).toBe(false);
  });

  it('is recognised after a key rotation, and if an earlier version stored it as SHA-256', () => {
    const [older, newer] = [makeKey(), makeKey()];
    const { fingerprint } = fingerprintOf(openKeyedHash(parseKeyRing(older)), { a: 1 });
    const rotated = openKeyedHash(parseKeyRing(`${newer},${older}`));
    expect(fingerprintOf(rotated, { a: 1 }).isSameBody(fingerprint)).toBe(true);
    expect(fingerprintOf(rotated, { a: 2 }).isSameBody(fingerprint)).toBe(false);
    const unkeyed = createHash('sha256').update('{"a":1}').digest();
    expect(fingerprintOf(rotated, { a: 1 }).isSameBody(unkeyed)).toBe(true);
    expect(fingerprintOf(rotated, { a: 2 }).isSameBody(unkeyed)).toBe(false);
  });
});
