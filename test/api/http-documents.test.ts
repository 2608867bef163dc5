// The OpenAPI document, the reference page, health and metrics, and the scope that each operation requires.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import type { DocumentedOperation, InterfaceDocument } from '../harness/interface-document.ts';

let gateway: Gateway;
let document: InterfaceDocument;
let operations: { method: string; path: string; operation: DocumentedOperation; scope: string }[];

beforeAll(async () => {
  gateway = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  const answer = await gateway.call('GET', '/openapi.json', { key: null });
  expect(answer.status).toBe(200);
  document = answer.body as unknown as InterfaceDocument;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      scope: /Scope: `?([a-z:]+)/.exec(operation.description ?? '')?.[1] ?? '',
    })),
  );
});
afterAll(() => gateway?.close());

const ask = (path: string, headers: Record<string, string> = {}) =>
  gateway.call('GET', path, { key: null, headers });

const eleven: [string, string, string][] = [
  ['GET', '/v1/templates', 'templates:read'],
  ['GET', '/v1/templates/{templateId}', 'templates:read'],
  ['POST', '/v1/templates/send', 'messages:send'],
  ['POST', '/v1/templates/media', 'media:write'],
  ['GET', '/v1/appointments/departments', 'appointments:read'],
  ['GET', '/v1/appointments/users', 'appointments:read'],
  ['GET', '/v1/appointments/form-questions', 'appointments:read'],
  ['GET', '/v1/appointments/available-slots', 'appointments:read'],
  ['POST', '/v1/appointments/book', 'appointments:book'],
  ['GET', '/v1/appointments/ext-calendar/auth-url', 'manage'],
  ['GET', '/v1/appointments/ext-calendar/status', 'appointments:read'],
];

describe('the OpenAPI document', () => {
  it('has version 3.1, a title, a version and the API key’s header', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info).toMatchObject({ title: 'Chatbot Gateway', version: expect.stringMatching(/^\d/) });
    expect(document.components.securitySchemes).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: expect.any(String) },
      session: expect.objectContaining({ type: 'apiKey', in: 'cookie' }),
    });
    expect(document.security).toEqual([{ apiKey: [] }, { session: [] }]);
  });

  it('is sent once: whoever has it gets 304 until it changes', async () => {
    const first = await ask('/openapi.json');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    for (const path of ['/openapi.json', '/docs/json'])
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await ask(path, { 'If-None-Match': known });
        expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
      }
    const changed = await ask('/openapi.json', { 'If-None-Match': '"other"' });
    expect([changed.status, changed.text]).toEqual([200, first.text]);
    expect((await ask('/docs/json')).text).toBe(first.text);
    const head = await fetch(`${gateway.url}/openapi.json`, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(first.text)));
  });

  it.each(eleven)('has %s %s', (method, path, scope) => {
    expect(operations.find((one) => one.method === method && one.path === path)).toMatchObject({ scope });
  });

  it('has exactly the operations of the server under /v1/', async () => {
    for (const { path } of operations) expect(path).toMatch(/^\/v1\//);
    for (const [path, methods] of Object.entries(document.paths)) {
      const real = path.replaceAll(/\{[^}]+\}/g, 'x');
      const answer = await gateway.call('OPTIONS', real);
      const allow = answer.headers.get('allow')?.split(', ') ?? [];
      const expected = new Set(Object.keys(methods).map((method) => method.toUpperCase()));
      if (expected.has('GET')) expected.add('HEAD');
      expect(new Set(allow), path).toEqual(expected);
      expect(Object.keys(methods).length).toBeGreaterThan(0);
    }
  });
});

describe('every operation', () => {
  it('requires a key, and rejects an invalid one and one without the scope', async () => {
    const signIn = operations.filter(({ scope }) => scope === '');
    expect(signIn.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'POST /v1/session',
      'POST /v1/session/link',
    ]);
    const withKey = operations.filter(({ scope }) => scope !== '');
    const scopes = [...new Set(withKey.map(({ scope }) => scope))].filter((scope) => scope !== 'any');
    expect(scopes.sort()).toEqual([
      'appointments:book',
      'appointments:manage',
      'appointments:read',
      'conversations:read',
      'manage',
      'media:write',
      'messages:read',
      'messages:send',
      'operator',
      'templates:read',
      'webhooks:manage',
    ]);
    const keys = new Map<string, string>();
    for (const scope of scopes) {
      const isIncluded = ['conversations:read', 'appointments:manage', 'webhooks:manage'].includes(scope);
      const others = scopes.filter(
        // no key can have the scope of operators
        (one) => one !== scope && one !== 'operator' && !(isIncluded && one === 'manage'),
      );
      const made = await gateway.call<{ apiKey: string }>('POST', '/v1/keys', {
        body: { name: `all but ${scope}`, scopes: others },
      });
      keys.set(scope, made.body.data.apiKey);
    }
    for (const [index, { method, path, scope }] of withKey.entries()) {
      // a separate client address for each, because repeated failures are delayed
      const headers = { 'X-Forwarded-For': `198.51.100.${index}` };
      const real = path.replaceAll(/\{[^}]+\}/g, 'x');
      // without body and query: authorization is checked first
      const without = await gateway.call(method, real, { key: null, headers });
      expect([path, without.status, without.body.code]).toEqual([path, 401, 'api_key_missing']);
      const wrong = await gateway.call(method, real, { key: 'cgw_wrong', headers });
      expect([path, wrong.status, wrong.body.code]).toEqual([path, 401, 'api_key_invalid']);
      expect(wrong.body.message).toMatch(/API key is invalid/);
      if (scope === 'any') continue;
      const weak = await gateway.call(method, real, { key: keys.get(scope) as string });
      expect([path, weak.status, weak.body.code]).toEqual([path, 403, 'forbidden']);
      expect(weak.body.message).toContain(scope);
    }
  });

  it('accepts the header in upper and lower case', async () => {
    for (const name of ['x-api-key', 'X-API-KEY', 'X-Api-Key']) {
      const answer = await gateway.call('GET', '/v1/templates', {
        key: null,
        headers: { [name]: gateway.apiKey },
      });
      expect(answer.status).toBe(200);
    }
  });
});

test('the reference page fits a phone, and loads nothing external and nothing over TLS only', async () => {
  const page = await gateway.call('GET', '/docs/', { key: null });
  expect(page.text).toContain('<meta name="viewport" content="width=device-width');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'");
  expect(policy).not.toMatch(/upgrade-insecure-requests|https:/);
});

test('all files of the reference page are served by the gateway', async () => {
  const page = await gateway.call('GET', '/docs/', { key: null });
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) {
    expect(file).not.toMatch(/^(https?:)?\/\//);
    const { pathname } = new URL(file, `${gateway.url}/docs/`);
    expect([pathname, (await gateway.call('GET', pathname, { key: null })).status]).toEqual([pathname, 200]);
  }
});

test.each([
  ['/nothing', 'text/html'],
  ['/v2/templates?page=1', 'text/html'],
  ['/v1', 'application/json'],
  ['/v1?page=1', 'application/json'],
  ['/v1/nothing', 'application/json'],
  ['/health/readiness', 'application/json'],
])('a browser gets 404 for %s as %s', async (path, type) => {
  const headers = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const answer = await gateway.call('GET', path, { headers, key: null });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, `${type}; charset=utf-8`]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('a client that requests the document hundreds of times in one packet gets it at most a few times', async () => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(300));
  // the connection is closed while the responses are read
  const received = await text(socket).catch((error: NodeJS.ErrnoException) => String(error.code));
  expect(received.split('HTTP/1.1 200 OK').length - 1).toBeLessThan(5);
});

describe('health and metrics need no key', () => {
  it('live returns 200', async () => {
    const live = await gateway.call('GET', '/health/live', { key: null });
    expect([live.status, live.body.data]).toEqual([200, { status: 'live' }]);
  });

  it('ready returns the state of each dependency', async () => {
    const ready = await gateway.call('GET', '/health/ready', { key: null });
    expect(ready.status).toBe(200);
    expect(ready.body.data).toMatchObject({
      status: 'ready',
      checks: { database: 'ready', objectStore: 'ready' },
      degraded: [],
    });
  });

  it('metrics counts requests by route, not by URL', async () => {
    await gateway.call('GET', '/v1/templates/019a0b5e-7c00-7000-8000-000000000000');
    const { text } = await gateway.call('GET', '/metrics', { key: null });
    expect(text).toMatch(/^# HELP /m);
    expect(text).toContain('route="/v1/templates/:templateId"');
    expect(text).not.toContain('019a0b5e-7c00');
  });
});
