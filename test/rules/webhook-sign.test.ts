// Webhook signatures: published test vectors, verification with third-party libraries, and allowed secrets.
import { createHmac, randomBytes } from 'node:crypto';
import { sign, verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { asciiJson } from '../../src/webhooks/delivery/event.ts';
import {
  bodySignature,
  secretProblem,
  signingKey,
  standardSignature,
} from '../../src/webhooks/endpoints/sign.ts';
import { fc } from '../harness/property.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;

describe('x-webhook-signature', () => {
  it('matches the published test vector', () => {
    expect(bodySignature(signingKey("It's a Secret to Everybody"), 'Hello, World!')).toBe(
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    );
  });

  it('verifies with GitHub’s library for any characters, and fails for another body or secret', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
        const body = asciiJson({ event: 'test', data: { text } });
        const signature = bodySignature(signingKey(secret), body);
        expect(await verify(secret, body, signature)).toBe(true);
        expect(signature).toBe(await sign(secret, body));
        expect(await verify(secret, `${body} `, signature)).toBe(false);
        expect(await verify(`${secret}x`, body, signature)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('uses the UTF-8 bytes of the secret as shown', () => {
    const body = '{"event":"test"}';
    const expected = createHmac('sha256', secret).update(body).digest('hex');
    expect(bodySignature(signingKey(secret), body)).toBe(`sha256=${expected}`);
  });
});

describe('webhook-signature', () => {
  it('matches the test vector of Standard Webhooks', () => {
    const key = signingKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    expect(standardSignature([key], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('verifies with the Standard Webhooks library for generated and owners’ secrets, also during a rotation', () => {
    const now = Math.floor(Date.now() / 1000);
    const own = 'a secret of my own!!';
    const other = signingKey(`whsec_${randomBytes(24).toString('base64')}`);
    const cases = [
      [secret, new Webhook(secret)],
      [own, new Webhook(own, { format: 'raw' })],
    ] as const;
    for (const [text, library] of cases) {
      const body = '{"event":"messages.status","data":{}}';
      for (const keys of [[signingKey(text)], [signingKey(text), other], [other, signingKey(text)]]) {
        const headers = {
          'webhook-id': '019a0b5e-7c00-7000-8000-000000000000',
          'webhook-timestamp': String(now),
          'webhook-signature': standardSignature(keys, '019a0b5e-7c00-7000-8000-000000000000', now, body),
        };
        expect(library.verify(body, headers)).toEqual(JSON.parse(body));
        expect(() => library.verify(body.replace('{}', '{ }'), headers)).toThrow();
      }
    }
  });
});

describe('a secret chosen by the owner', () => {
  it('must have 16 to 256 printable ASCII characters', () => {
    expect(secretProblem('x'.repeat(16))).toBeUndefined();
    expect(secretProblem('x'.repeat(256))).toBeUndefined();
    for (const bad of [
      'x'.repeat(15),
      'x'.repeat(257),
      'ümlaut-in-the-secret',
      'tab\tin-the-secret-',
      `${'x'.repeat(16)}\n`,
    ]) {
      expect(secretProblem(bad)).toEqual(expect.any(String));
    }
  });

  it('must have valid base64 after whsec_, which libraries decode', () => {
    expect(secretProblem(secret)).toBeUndefined();
    for (const bad of [
      'whsec_not base64 at all',
      'whsec_AAAAAAAAAAAAA',
      `whsec_${randomBytes(8).toString('base64')}`,
    ]) {
      expect(secretProblem(bad)).toContain('base64');
    }
  });

  it('produces both signatures for any valid characters', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
          minLength: 16,
          maxLength: 256,
        }),
        (text) => {
          const body = 'body';
          return (
            bodySignature(signingKey(text), body) ===
            `sha256=${createHmac('sha256', text).update(body).digest('hex')}`
          );
        },
      ),
    );
  });
});
