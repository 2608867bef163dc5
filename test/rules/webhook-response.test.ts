// The stored part of a receiver's response: its first 4 KB, in whole characters that the database accepts.
import { describe, expect, it } from 'vitest';
import { keptResponse, keptResponseBytes } from '../../src/webhooks/delivery/response.ts';
import { fc } from '../harness/property.ts';

describe('the stored response', () => {
  it('has the first 4,096 bytes, and is null for an empty response', () => {
    expect(keptResponse(Buffer.from(''))).toBeNull();
    expect(keptResponse(Buffer.from('ok'))).toBe('ok');
    expect(keptResponse(Buffer.from('x'.repeat(4_096)))).toBe('x'.repeat(4_096));
    expect(keptResponse(Buffer.from(`${'x'.repeat(4_096)}y`))).toBe('x'.repeat(4_096));
  });

  it('omits a character of two, three or four bytes that the cut divides', () => {
    for (const character of ['é', '語', '🙂']) {
      for (let before = 4_090; before <= 4_096; before++) {
        const text = 'x'.repeat(before) + character.repeat(3);
        const kept = keptResponse(Buffer.from(text)) ?? '';
        expect(text.startsWith(kept)).toBe(true);
        expect(kept.length).toBeGreaterThanOrEqual(before - 1);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(keptResponseBytes);
        expect(Buffer.byteLength(kept)).toBeGreaterThan(keptResponseBytes - 4);
      }
    }
  });

  it('replaces invalid UTF-8 and NUL by U+FFFD, and keeps a byte order mark', () => {
    expect(keptResponse(Buffer.from([0x61, 0, 0x62, 0xff, 0xc3]))).toBe('a\ufffdb\ufffd\ufffd');
    expect(keptResponse(Buffer.from('\ufeffok'))).toBe('\ufeffok');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const kept = keptResponse(Buffer.from(bytes)) ?? '';
        expect(kept).not.toContain('\0');
        expect(kept.isWellFormed()).toBe(true);
      }),
    );
  });

  it('contains no secret in any encoding, nor the beginning of one at the cut', () => {
    const secret = 'whsec_q/83+vJ5bnQ0c2VjcmV0';
    const secrets = [secret, secret.slice(6)];
    const forms = [
      secret,
      secret.slice(6),
      encodeURIComponent(secret),
      encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
      JSON.stringify(secret).replaceAll('/', '\\/'),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
    ];
    for (const form of forms) {
      expect(keptResponse(Buffer.from(`é wants ${form}, got x`), secrets)).toMatch(
        /^é wants "?\[secret\]"?, got x$/,
      );
      const cutOff = `${'x'.repeat(16_384)}${form}`.slice(form.length, 16_384 + form.length - 3);
      expect(keptResponse(Buffer.from(cutOff.slice(-4_096)), secrets)).not.toContain(form.slice(0, 8));
    }
    expect(keptResponse(Buffer.from('nothing here'), secrets)).toBe('nothing here');
  });
});
