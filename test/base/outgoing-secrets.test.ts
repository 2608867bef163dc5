// Redaction of a call's secrets in response bodies, headers and errors, in every encoding.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VendorError } from '../../src/base/errors.ts';
import { type OutgoingRequest, openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { redactError, redactText, secretsOf } from '../../src/base/outgoing/secrets.ts';
import { fc } from '../harness/property.ts';

const outgoing = openOutgoing({ connectionsPerOrigin: 2, keepAliveMs: 1_000 });
let answer: RequestListener;
const server = createServer((request, response) => answer(request, response));
let url = '';
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  await outgoing.close();
  server.close();
});

/** Responds with everything it received: URL, headers and body, also in a header. */
function echo(status: number): void {
  answer = async (request, response) => {
    const got = `${request.url} ${request.rawHeaders.join(' ')} ${await text(request)}`;
    response.writeHead(status, { 'x-echo': got.replace(/[^ -~]/g, '?') }).end(got);
  };
}

const token = 'EAAG+token/with&all"kinds\'of<characters>=';
const pair = Buffer.from('ada@clinic.example:correct horse').toString('base64');
const form = new URLSearchParams({ client_id: 'id', client_secret: token, grant_type: 'x' }).toString();
const requests: [string, Partial<OutgoingRequest>, string[]][] = [
  ['a token', { headers: { authorization: `Bearer ${token}` } }, [token]],
  ['another scheme', { headers: { Authorization: `OAuth ${token}` } }, [token]],
  ['Basic', { headers: { authorization: `Basic ${pair}` } }, [pair, 'ada@clinic.example:correct horse']],
  ['a cookie', { headers: { cookie: 'session=abcdefghijkl' } }, ['session=abcdefghijkl']],
  ['a session token', { headers: { 'x-amz-security-token': token } }, [token]],
  [
    'a field of the URL',
    { url: `?input_token=${encodeURIComponent(token)}&a=1` },
    [token, encodeURIComponent(token)],
  ],
  [
    'a field of a form',
    { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form },
    [token, encodeURIComponent(token)],
  ],
];

describe.each(requests)('%s', (_what, { url: search = '', ...request }, secrets) => {
  const full = { method: 'POST', timeoutMs: 5_000, ...request };

  it.each([400, 403, 302, 500])('is redacted in a response with status %i', async (status) => {
    echo(status);
    const { body, headers } = await outgoing.request({ ...full, url: url + search });
    const streamed = await outgoing.stream({ ...full, url: url + search });
    const seen = [body.toString(), String(headers['x-echo']), await text(streamed.body)];
    for (const secret of secrets) expect(seen.filter((one) => one.includes(secret))).toEqual([]);
    expect(seen[0]).toContain('[secret]');
    expect(seen[0]).toContain('connection keep-alive');
  });
});

it('a token is redacted in a successful response, whose other content is unchanged', async () => {
  echo(200);
  const request = { method: 'GET', timeoutMs: 5_000, url };
  const long = await outgoing.request({ ...request, headers: { authorization: `Bearer ${token}` } });
  expect(long.body.toString()).not.toContain(token);
  const short = await outgoing.request({ ...request, headers: { authorization: 'Bearer token' } });
  expect(short.body.toString()).toContain('Bearer token');
});

it('secretsOf finds the secrets of any request', () => {
  expect(secretsOf({ url: 'not a url', headers: { Authorization: 'x' } })).toEqual(['x']);
  const basic = secretsOf({ url: 'x', headers: { authorization: `Basic ${pair}` } });
  expect(basic).toEqual([pair, 'ada@clinic.example:correct horse']);
  expect(secretsOf({ url: 'https://a:p%40ss@b.example/?code=c1&x=1' })).toEqual(['p@ss', 'c1']);
  expect(secretsOf({ url: 'https://b.example/', headers: { accept: 'x' }, body: 'code=1' })).toEqual([]);
});

it('a password is redacted in an error’s message, title, code and cause', () => {
  const cause = new Error('wants tr0ub4dor');
  const error = new VendorError('rejected', 'wants tr0ub4dor, got x', {
    ...{ code: 'tr0ub4dor', title: 'tr0ub4dor!', status: 403, retryAfterSeconds: 5, cause },
  });
  const clean = redactError(error, ['tr0ub4dor']) as VendorError;
  expect(clean).toMatchObject({
    ...{ outcome: 'rejected', message: 'wants [secret], got x', code: '[secret]', title: '[secret]!' },
    ...{ status: 403, retryAfterSeconds: 5 },
  });
  expect(clean.cause).toBeUndefined();
  expect(redactError(clean, ['tr0ub4dor'])).toBe(clean);
  const hidden = new VendorError('unknown', 'x', { cause });
  expect((redactError(hidden, ['tr0ub4dor']) as VendorError).cause).toBeUndefined();
});

it('no text keeps a secret, complete or truncated at its end', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 8 }),
      fc.string(),
      fc.string(),
      fc.nat(6),
      (secret, before, after, off) => {
        const whole = redactText(`${before}${secret}${after}`, [secret]);
        fc.pre(!'[secret]'.includes(secret) && !`${before}[secret]${after}`.includes(secret));
        expect(whole).not.toContain(secret);
        const end = secret.slice(0, secret.length - Math.min(off, secret.length - 6));
        if (!before.includes(end.slice(0, 6)))
          expect(redactText(`${before}${end}`, [secret])).not.toContain(end);
      },
    ),
  );
});
