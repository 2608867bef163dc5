// The request of an attempt, made again from what is stored: exactly what was sent, or null.
import { expect, test } from 'vitest';
import { openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { deliveryHeaders } from '../../src/webhooks/endpoints/headers.ts';
import { encryptSecret } from '../../src/webhooks/endpoints/secrets.ts';
import { signingKey } from '../../src/webhooks/endpoints/sign.ts';
import { sentRequest, uncertainMs } from '../../src/webhooks/history/sent-request.ts';
import type { SignerRow } from '../../src/webhooks/history/store.ts';

const cipher = openCipher(parseKeyRing(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
const [first, second] = ['the first secret of all', 'the second secret of all'] as const;
const id = '019a0b5e-7c00-7000-8000-000000000007';
const timestampSeconds = 1_773_151_200;
const startedAtMs = timestampSeconds * 1_000;
const delivery = { id, body: '{"event":"test"}', isErased: false };
const failed = { endedAtMs: startedAtMs + 40, durationMs: 40, timestampSeconds };

const endpoint: SignerRow = {
  id,
  url: 'https://example.com/hooks?key=1',
  status: 'active',
  secret: encryptSecret(cipher, first, id, 'secret'),
  next_secret: null,
  overlap_until: null,
  next_activated: false,
  url_changed_at: null,
  secrets_changed_at: null,
};
const rotated = {
  next_secret: encryptSecret(cipher, second, id, 'next_secret'),
  overlap_until: new Date(startedAtMs + uncertainMs),
};

function known(row: Partial<SignerRow> = {}, attempt = failed, of = delivery) {
  const { url, headers } = sentRequest(cipher, { ...endpoint, ...row }, of, attempt);
  const byName = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  return { url, ...byName } as Record<string, string | null>;
}
const signed = (...secrets: string[]) => {
  const standardKeys = secrets.map(signingKey);
  return deliveryHeaders(
    { bodyKey: signingKey(secrets.at(-1) ?? ''), standardKeys },
    { ...delivery, timestampSeconds },
  );
};

test('a failed attempt shows its address, and the headers with their signatures', () => {
  expect(known()).toEqual({
    ...{ url: endpoint.url, host: 'example.com', 'content-length': '16' },
    ...signed(first),
  });
});

test('an attempt without its timestamp shows the signature of the body alone', () => {
  expect(known({}, { ...failed, timestampSeconds: null as never })).toMatchObject({
    ...{ 'webhook-timestamp': null, 'webhook-signature': null },
    'x-webhook-signature': signed(first)['x-webhook-signature'],
  });
});

test('during a rotation both secrets sign, and after it the new one alone', () => {
  expect(known(rotated)).toMatchObject(signed(second, first));
  const overlapEnded = { ...rotated, overlap_until: new Date(startedAtMs - uncertainMs) };
  expect(known(overlapEnded)).toMatchObject(signed(second));
  const near = { ...rotated, overlap_until: new Date(startedAtMs + uncertainMs - 1) };
  expect(known(near)['x-webhook-signature']).toBeNull();
});

test('what an attempt before a change of the endpoint used is not known', () => {
  const since = (ms: number) => new Date(startedAtMs + ms);
  expect(known({ url_changed_at: since(1) })).toMatchObject({ url: null, host: null, ...signed(first) });
  expect(known({ url_changed_at: since(1 - uncertainMs) }).url).toBeNull();
  expect(known({ url_changed_at: since(-uncertainMs) }).url).toBe(endpoint.url);
  const unsigned = { 'x-webhook-signature': null, 'webhook-signature': null };
  expect(known({ secrets_changed_at: since(1 - uncertainMs) })).toMatchObject({
    url: endpoint.url,
    ...unsigned,
  });
  expect(known({ secrets_changed_at: since(-uncertainMs) })).toMatchObject(signed(first));
  expect(known({ status: 'deleted', secret: Buffer.alloc(0) })).toMatchObject(unsigned);
});

test('an erased body has no signature and no length', () => {
  const shown = known({}, failed, { ...delivery, isErased: true });
  expect(shown).toMatchObject({
    'content-length': null,
    'x-webhook-signature': null,
    'webhook-signature': null,
  });
});
