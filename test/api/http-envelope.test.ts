// The HTTP boundary: every response has the success or failure form, a request id, and safe headers.

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type Answer, type CallOptions, type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

/** Calls, and expects the failure form. */
async function expectFailure(
  method: string,
  path: string,
  options: CallOptions,
  [status, code]: [number, string],
): Promise<Answer> {
  const answer = await gateway.call(method, path, options);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
  expect(answer.body).toMatchObject({ success: false, message: expect.stringMatching(/\w{3}/) });
  expect(answer.body).toMatchObject({ requestId: answer.headers.get('x-request-id') });
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.text).not.toMatch(/node_modules|\.ts:|select |insert /i);
  return answer;
}

const unknownId = '019a0b5e-7c00-7000-8000-000000000000';

describe('unknown paths and ids', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/v1/nothing'],
    ['GET', '/health'],
    ['GET', '/health/readiness'],
    ['POST', '/v2/templates/send'],
    ['GET', '/v1/templates/%ZZ'],
    ['GET', '/%'],
    ['GET', `/v1/templates/${'x'.repeat(600)}`],
  ])('%s %s is 404', (method, path) =>
    expectFailure(method, path, {}, [404, 'not_found']).then(() => undefined),
  );

  it.each(['x', 'null', unknownId, "'; drop table accounts; --", '%00', '%F0%9F%98%80'])(
    'a template, send, message, sender or key with id %s is 404',
    async (id) => {
      const path = id.startsWith('%') ? id : encodeURIComponent(id);
      await expectFailure('GET', `/v1/templates/${path}`, {}, [404, 'template_not_found']);
      await expectFailure('POST', `/v1/templates/${path}/submit`, {}, [404, 'template_not_found']);
      await expectFailure('DELETE', `/v1/templates/${path}`, {}, [404, 'template_not_found']);
      await expectFailure('GET', `/v1/sends/${path}`, {}, [404, 'send_not_found']);
      await expectFailure('POST', `/v1/sends/${path}/cancel`, {}, [404, 'send_not_found']);
      await expectFailure('GET', `/v1/messages/${path}`, {}, [404, 'message_not_found']);
      await expectFailure('PATCH', `/v1/senders/${path}`, { body: { name: 'x' } }, [404, 'sender_not_found']);
      await expectFailure('DELETE', `/v1/senders/${path}`, {}, [404, 'sender_not_found']);
      await expectFailure('POST', `/v1/keys/${path}/rotate`, {}, [404, 'key_not_found']);
      await expectFailure('DELETE', `/v1/keys/${path}`, {}, [404, 'key_not_found']);
    },
  );
});

test.each([
  ['DELETE', '/v1/templates', 'GET, HEAD, POST'],
  ['PUT', '/v1/templates/send', 'POST'],
  ['POST', '/v1/opt-outs/settings', 'GET, HEAD, PUT'],
  ['GET', '/v1/templates/send/', null],
  ['POST', `/v1/messages/${unknownId}`, 'GET, HEAD'],
  ['POST', '/openapi.json', 'GET, HEAD'],
  ['PATCH', '/health/live', 'GET, HEAD'],
])('%s %s is 405 with the allowed methods', async (method, path, allow) => {
  if (allow === null) return void (await expectFailure(method, path, {}, [404, 'not_found']));
  const answer = await expectFailure(method, path, {}, [405, 'method_not_allowed']);
  const methods = answer.headers.get('allow')?.split(', ') ?? [];
  expect(methods).toEqual(allow.split(', '));
  expect(answer.body.message).toBe(`${method} is not allowed here; use ${methods.join(' or ')}.`);
});

describe('a body', () => {
  it.each(['{', '{"name":}', "{'name': 1}", '{"a":1}{', '\u0000', '{"__proto__":1'])(
    'that is %j is malformed',
    async (body) => void (await expectFailure('POST', '/v1/keys', { body }, [400, 'malformed_json'])),
  );

  it.each(['{"__proto__":{"x":1}}', '\ufeff{"name":{"__proto__":1}}', '{"constructor":{"prototype":1}}'])(
    'that is %j has a name that no field has',
    async (body) => {
      const answer = await expectFailure('POST', '/v1/keys', { body }, [400, 'invalid_request']);
      expect(answer.body.errors).toEqual([{ path: '', message: expect.stringContaining('`__proto__`') }]);
    },
  );

  it('that is not UTF-8 is malformed, and UTF-8 may have a byte order mark', async () => {
    const body = Buffer.from('{"name":"M\u00fcller","scopes":["manage"]}', 'latin1');
    const answer = await expectFailure('POST', '/v1/keys', { body }, [400, 'malformed_json']);
    expect(answer.body.message).toBe('The body is not valid UTF-8. Send one JSON object in UTF-8.');
    const marked = Buffer.from('\ufeff{"name":"M\u00fcller","scopes":["manage"]}');
    const { status, body: made } = await gateway.call('POST', '/v1/keys', { body: marked });
    expect([status, made.data.name]).toEqual([200, 'M\u00fcller']);
  });

  it('that is null counts as absent', async () => {
    const path = `/v1/messages/${unknownId}/resend`;
    await expectFailure('POST', path, { body: 'null' }, [404, 'message_not_found']);
    const { body } = await expectFailure('POST', '/v1/keys', { body: 'null' }, [400, 'invalid_request']);
    expect(body.errors?.map(({ path: field }) => field)).toEqual(['name', 'scopes']);
  });

  it.each(['[]', '"x"', '7'])('that is %s instead of an object is invalid', async (body) => {
    await expectFailure('POST', '/v1/keys', { body }, [400, 'invalid_request']);
  });

  it('of another media type is rejected', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense'])
      await expectFailure('POST', '/v1/keys', { body: '{}', headers: { 'Content-Type': type } }, [
        415,
        'unsupported_media_type',
      ]);
  });

  it('that is compressed is rejected with what to do, also by uploads and without a key', async () => {
    const body = gzipSync(JSON.stringify({ name: 'x', scopes: ['manage'] }));
    const csv = { 'Content-Type': 'text/csv' };
    const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
    for (const [path, more] of [
      ['/v1/keys', {}],
      ['/v1/opt-outs/import', csv],
      [`/v1/sends/${unknownId}/recipients`, csv],
      ['/v1/templates/media', form],
      ['/v1/session/link', { key: null }],
    ] as const) {
      const { key, ...type } = { key: undefined, ...more };
      const headers = { 'Content-Encoding': 'gzip', ...type };
      const options = { body, headers, ...(key === undefined ? {} : { key }) };
      const answer = await expectFailure('POST', path, options, [415, 'unsupported_media_type']);
      expect([path, answer.body.message]).toEqual([
        path,
        expect.stringContaining('Send the body uncompressed'),
      ]);
    }
    const headers = { 'Content-Encoding': 'identity' };
    await expectFailure('POST', '/v1/keys', { body: '{}', headers }, [400, 'invalid_request']);
  });

  it('with another spelling of the JSON media type is accepted', async () => {
    const headers = { 'Content-Type': 'application/json; charset=UTF-8' };
    const answer = await gateway.call('POST', '/v1/keys', { body: '{}', headers });
    expect(answer.body.errors?.map(({ path }) => path).sort()).toEqual(['name', 'scopes']);
  });

  it('that is missing is rejected with the required fields', async () => {
    const answer = await expectFailure('POST', '/v1/keys', {}, [400, 'invalid_request']);
    expect(answer.body.errors?.map(({ path }) => path).sort()).toEqual(['name', 'scopes']);
  });

  it('with fields is rejected where the operation takes no body, and an empty one is not', async () => {
    const path = `/v1/sends/${unknownId}/start`;
    const body = { sendAt: '2027-01-01T00:00:00Z' };
    const answer = await expectFailure('POST', path, { body }, [400, 'invalid_request']);
    expect(answer.body.errors?.map(({ path }) => path)).toEqual(['sendAt']);
    await expectFailure('POST', path, { body: {} }, [404, 'send_not_found']);
  });

  it('that is too large is rejected', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(1_100_000) });
    const answer = await expectFailure('POST', '/v1/keys', { body }, [413, 'body_too_large']);
    expect(answer.body.message).toContain('1,048,576 bytes');
  });

  it('is not coerced, and every problem is listed', async () => {
    const body = { name: 7, scopes: 'manage', expiresAt: 'tomorrow', colour: 'red' };
    const answer = await expectFailure('POST', '/v1/keys', { body }, [400, 'invalid_request']);
    expect(answer.body.errors?.map(({ path }) => path).sort()).toEqual([
      'colour',
      'expiresAt',
      'name',
      'scopes',
    ]);
    const scopes = ['manage', 'everything'];
    const wrong = await expectFailure('POST', '/v1/keys', { body: { name: 'x', scopes } }, [
      400,
      'invalid_request',
    ]);
    expect(wrong.body.errors).toEqual([
      { path: 'scopes[1]', message: expect.stringContaining('templates:read, messages:send') },
    ]);
  });

  it.each(['2016-12-31T23:59:60Z', '2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T00:00:00'])(
    'with the invalid time %s is rejected',
    async (expiresAt) => {
      const body = { name: 'x', scopes: ['manage'], expiresAt };
      const answer = await expectFailure('POST', '/v1/keys', { body }, [400, 'invalid_request']);
      expect(answer.body.errors?.map(({ path }) => path)).toEqual(['expiresAt']);
    },
  );

  it.each(['a\u0000b', 'a\ud800b', '\udc00'])(
    'with text that cannot be stored (%j) is rejected',
    async (name) => {
      const body = { name, scopes: ['manage'] };
      const answer = await expectFailure('POST', '/v1/keys', { body }, [400, 'invalid_request']);
      expect(answer.body.errors?.map(({ path }) => path)).toEqual(['name']);
    },
  );
});

describe('a query', () => {
  it.each([
    ['/v1/templates?statu=approved', 'statu'],
    ['/v1/templates?status=rejected', 'status'],
    ['/v1/templates?status=approved&status=draft', 'status'],
    ['/v1/templates?page=0', 'page'],
    ['/v1/templates?page=0x10', 'page'],
    ['/v1/templates?page=1.5', 'page'],
    ['/v1/templates?limit=101', 'limit'],
    ['/v1/templates?limit=', 'limit'],
    ['/v1/templates?search=%00', 'search'],
    ['/v1/messages?cursor=nonsense', 'cursor'],
    [`/v1/messages?cursor=${Buffer.from('["x"]').toString('base64url')}`, 'cursor'],
    [`/v1/messages?cursor=${Buffer.from('[7]').toString('base64url')}`, 'cursor'],
    ['/v1/messages?page=2', 'page'],
    ['/v1/messages?from=yesterday', 'from'],
    ['/v1/messages?to=2016-12-31T23:59:60Z', 'to'],
    ['/v1/messages?messageId=%00', 'messageId'],
    ['/v1/messages?status=gone', 'status'],
    ['/v1/keys?colour=red', 'colour'],
    ['/v1/senders?page=x', 'page'],
  ])('%s is rejected with the parameter’s name', async (path, parameter) => {
    const answer = await expectFailure('GET', path, {}, [400, 'invalid_request']);
    expect(answer.body.errors?.map((problem) => problem.path)).toEqual([parameter]);
    expect(answer.body.message).toContain(parameter);
  });

  it('with a malformed id gets the same response as an unknown id', async () => {
    await expectFailure('GET', '/v1/messages?sendId=x', {}, [404, 'send_not_found']);
    await expectFailure('GET', `/v1/messages?sendId=${unknownId}`, {}, [404, 'send_not_found']);
    for (const filter of ['messages?templateId', 'messages?senderId', 'webhooks/deliveries?endpointId'])
      for (const id of ['x', unknownId]) {
        const { status, body } = await gateway.call('GET', `/v1/${filter}=${id}`);
        expect([filter, id, status, body.data]).toMatchObject([filter, id, 200, { items: [] }]);
      }
  });
});

describe('every response', () => {
  it('keeps a valid request id and creates one otherwise', async () => {
    const kept = await gateway.call('GET', '/v1/templates', { headers: { 'X-Request-Id': 'order-7.A:b_c' } });
    expect(kept.headers.get('x-request-id')).toBe('order-7.A:b_c');
    for (const sent of ['a b', 'x'.repeat(129), '<script>', '']) {
      const made = await gateway.call('GET', '/v1/nothing', { headers: { 'X-Request-Id': sent } });
      expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    }
  });

  it('has headers against storing, sniffing and framing, and none about the software', async () => {
    for (const path of ['/v1/templates', '/v1/nothing', '/health/live']) {
      const { headers } = await gateway.call('GET', path);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('has the success form', async () => {
    const answer = await gateway.call('GET', '/v1/templates');
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['success', 'message', 'data']);
    expect(answer.body).toMatchObject({ success: true, message: expect.stringMatching(/\w/) });
  });
});
