// API keys: their format, cell and checksum.
import { describe, expect, it } from 'vitest';
import { hashKey, hintOf, isWellFormedKey, makeKey } from '../../src/accounts/key.ts';

describe('an API key', () => {
  it('has a checksum: every mistyped character is detected without a query', () => {
    const key = makeKey();
    expect(key).toMatch(/^cgw_[0-9A-Za-z]{49}$/);
    expect(isWellFormedKey(key)).toBe(true);
    for (let at = 4; at < key.length; at++) {
      const typo = `${key.slice(0, at)}${key[at] === 'x' ? 'y' : 'x'}${key.slice(at + 1)}`;
      expect(isWellFormedKey(typo)).toBe(false);
    }
    expect(hintOf(key)).toBe(key.slice(-4));
    expect(hashKey(key)).toHaveLength(32);
  });

  it('contains the name of its cell, which its checksum covers', () => {
    const key = makeKey('eu1');
    expect(key).toMatch(/^cgw_eu1_[0-9A-Za-z]{49}$/);
    expect(isWellFormedKey(key)).toBe(true);
    expect(isWellFormedKey(key.replace('eu1', 'eu2'))).toBe(false);
    expect(isWellFormedKey(key.replace('eu1_', ''))).toBe(false);
  });

  it.each([
    '',
    'cgw_',
    `cgw__${'0'.repeat(49)}`,
    `cgw_${'a'.repeat(17)}_${'0'.repeat(49)}`,
    'x'.repeat(53),
    `cgw_${'0'.repeat(49)} `,
  ])('%j is not well-formed', (text) => expect(isWellFormedKey(text)).toBe(false));
});
