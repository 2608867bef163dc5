// Promises of the kept part of a receiver's answer: its first 4 KB, whole characters, and nothing that the database refuses.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptAnswer, keptAnswerBytes } from '../../src/webhooks/delivering/answer.ts';

describe('of an answer', () => {
  it('the first 4,096 bytes are kept, and of an empty one nothing', () => {
    expect(keptAnswer(Buffer.from(''))).toBeNull();
    expect(keptAnswer(Buffer.from('ok'))).toBe('ok');
    expect(keptAnswer(Buffer.from('x'.repeat(4_096)))).toBe('x'.repeat(4_096));
    expect(keptAnswer(Buffer.from(`${'x'.repeat(4_096)}y`))).toBe('x'.repeat(4_096));
  });

  it('a character that the cut divides is left out, of two, three or four bytes', () => {
    for (const character of ['é', '語', '🙂']) {
      for (let before = 4_090; before <= 4_096; before++) {
        const text = 'x'.repeat(before) + character.repeat(3);
        const kept = keptAnswer(Buffer.from(text)) ?? '';
        expect(text.startsWith(kept)).toBe(true);
        expect(kept.length).toBeGreaterThanOrEqual(before - 1);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(keptAnswerBytes);
        expect(Buffer.byteLength(kept)).toBeGreaterThan(keptAnswerBytes - 4);
      }
    }
  });

  it('what is not UTF-8, and NUL, shows as U+FFFD; a byte order mark stays', () => {
    expect(keptAnswer(Buffer.from([0x61, 0, 0x62, 0xff, 0xc3]))).toBe('a\ufffdb\ufffd\ufffd');
    expect(keptAnswer(Buffer.from('\ufeffok'))).toBe('\ufeffok');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const kept = keptAnswer(bytes) ?? '';
        expect(kept).not.toContain('\0');
        expect(kept.isWellFormed()).toBe(true);
      }),
    );
  });
});
