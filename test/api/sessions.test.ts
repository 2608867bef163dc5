// Sessions over HTTP: signing in with a key or a link, what a session may do, and where it works.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKey } from '../../src/accounts/key.ts';
import { type Answer, type CallOptions, type Gateway, startGateway } from '../harness/gateway.ts';

interface Current {
  account: { _id: string; name: string };
  scopes: string[];
  key: { _id: string; name: string } | null;
  session: { _id: string; name: string; address: string; isCurrent: boolean } | null;
}

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    settings: {
      RATE_LIMIT_PER_MINUTE: '60',
      SESSION_RATE_LIMIT_PER_MINUTE: '80',
      CORS_ORIGINS: 'https://app.example.com',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
});
afterAll(() => gateway?.close());

const page = () => ({ Origin: gateway.url, 'X-Requested-With': 'chatbot-gateway' });

/** Signs in as a page of the gateway does. */
const signIn = (body: object, headers: Record<string, string> = {}) =>
  gateway.call<Current>('POST', '/v1/session', { body, key: null, headers: { ...page(), ...headers } });
const cookieOf = ({ headers }: Answer<never> | Answer<Current>) =>
  String(headers.get('set-cookie')).split(';')[0] ?? '';

/** Calls as a page with this cookie. */
const as = (cookie: string, headers: Record<string, string> = page()) => ({
  call: <T = Current>(method: string, path: string, options: CallOptions = {}) =>
    gateway.call<T>(method, path, {
      key: null,
      ...options,
      headers: { Cookie: cookie, ...headers, ...options.headers },
    }),
});
const keyWith = async (scopes: string[]) =>
  (await gateway.call<{ _id: string; apiKey: string }>('POST', '/v1/keys', { body: { name: 'K', scopes } }))
    .body.data;
const shown = ({ status, body }: Answer<unknown>) => [status, body.code ?? 'ok'];

it('a sign-in whose body does not arrive within ten seconds gets 408', { timeout: 30_000 }, async () => {
  const { host, hostname, port } = new URL(gateway.url);
  const headers = Object.entries(page()).map(([name, value]) => `${name}: ${value}\r\n`);
  const slowly = async (path: string) => {
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers.join('')}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    const [bytes] = await once(socket, 'data');
    socket.destroy();
    return String(bytes).slice(9, 12);
  };
  const statuses = await Promise.all(['/v1/session', '/v1/session/link'].map(slowly));
  expect(statuses).toEqual(['408', '408']);
});

describe('signing in with a key', () => {
  it('sets a cookie that has the scopes of the key and says who it is', async () => {
    const key = await keyWith(['messages:read']);
    const answer = await signIn({ key: key.apiKey });
    expect(shown(answer)).toEqual([200, 'ok']);
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(
        `^chatbot-gateway-session-${new URL(gateway.url).port}=[\\w-]{43}; .*HttpOnly.*SameSite=Strict`,
      ),
    );
    expect(answer.body.data).toMatchObject({
      account: { _id: gateway.accountId, name: 'Test' },
      scopes: ['messages:read'],
      key: { _id: key._id, name: 'K' },
      session: { name: 'K', address: '127.0.0.1', isCurrent: true },
    });
    const { call } = as(cookieOf(answer));
    const lastUsedAt = expect.any(String);
    expect((await call('GET', '/v1/session')).body.data).toEqual({
      ...answer.body.data,
      session: { ...answer.body.data.session, lastUsedAt },
    });
    expect(shown(await call('GET', '/v1/messages'))).toEqual([200, 'ok']);
    expect(shown(await call('GET', '/v1/keys'))).toEqual([403, 'forbidden']);
    expect(answer.text).not.toContain(cookieOf(answer).split('=')[1]);
  });

  it('is rejected with an invalid key, without an origin of the gateway, and for another host', async () => {
    expect(shown(await signIn({ key: makeKey() }))).toEqual([401, 'api_key_invalid']);
    const body = { key: gateway.apiKey };
    expect(shown(await signIn(body, { Origin: 'https://app.example.com' }))).toEqual([
      403,
      'origin_mismatch',
    ]);
    expect(shown(await signIn(body, { 'X-Requested-With': 'x' }))).toEqual([403, 'origin_mismatch']);
    expect(shown(await signIn(body, { 'X-Forwarded-Host': 'evil.example' }))).toEqual([421, 'host_mismatch']);
    expect(shown(await signIn({ key: gateway.apiKey, link: 'x' }))).toEqual([400, 'invalid_request']);
    expect(shown(await signIn({ key: 'x'.repeat(5_000) }))).toEqual([413, 'body_too_large']);
  });

  it('counts as a request of the key, and wrong keys count as failures of their address', async () => {
    const { apiKey } = await keyWith(['messages:read']);
    const statuses: number[] = [];
    for (let n = 0; n < 61; n++) statuses.push((await signIn({ key: apiKey })).status);
    expect(statuses).toEqual([...Array<number>(60).fill(200), 429]);
    const from = { 'X-Forwarded-For': '203.0.113.9' };
    const failures = await Promise.all(
      Array.from({ length: 61 }, () => signIn({ link: 'A'.repeat(43) }, from)),
    );
    expect(failures.map(shown)).toEqual(Array(61).fill([410, 'link_used']));
    expect(failures.filter(({ headers }) => headers.has('retry-after'))).toHaveLength(1);
  });
});

describe('a link', () => {
  it('is shown once, valid once, and its session belongs to the key of its maker', async () => {
    const made = await gateway.call<{ _id: string; url: string }>('POST', '/v1/dashboard-links', {
      body: { name: 'Maria', scopes: ['messages:read', 'manage'] },
    });
    const { url, _id } = made.body.data;
    const [address, link = ''] = url.split('/#link=');
    expect(address).toBe(gateway.url);
    const listed = await gateway.call<{ items: object[] }>('GET', '/v1/dashboard-links');
    expect(listed.body.data.items).toMatchObject([{ _id, name: 'Maria' }]);
    expect(listed.text).not.toContain(link);
    const describe = (headers = page()) =>
      gateway.call<object>('POST', '/v1/session/link', { body: { link }, key: null, headers });
    const offered = {
      name: 'Maria',
      scopes: ['messages:read', 'manage'],
      madeBy: 'first key',
      expiresAt: expect.any(String),
    };
    // twice: seeing what it gives does not use it
    for (const _ of [1, 2]) expect((await describe()).body.data).toMatchObject(offered);
    expect(shown(await describe({ ...page(), Origin: 'https://app.example.com' }))).toEqual([
      403,
      'origin_mismatch',
    ]);
    const answer = await signIn({ link });
    expect(shown(await describe())).toEqual([410, 'link_used']);
    expect(answer.body.data).toMatchObject({
      key: { name: 'first key' },
      session: { name: 'Maria', scopes: ['messages:read', 'manage'] },
    });
    expect(shown(await signIn({ link }))).toEqual([410, 'link_used']);
    expect((await gateway.call<{ items: object[] }>('GET', '/v1/dashboard-links')).body.data.items).toEqual(
      [],
    );
    const { call } = as(cookieOf(answer));
    const sub = await call<{ url: string }>('POST', '/v1/dashboard-links', {
      body: { scopes: ['messages:send'] },
    });
    expect(shown(sub)).toEqual([403, 'forbidden']);
    const key = await call<{ scopes: string[] }>('POST', '/v1/keys', {
      body: { name: 'by Maria', scopes: ['messages:send'] },
    });
    expect(shown(key)).toEqual([403, 'forbidden']);
  });

  it('says what it gives only while the key of its maker is valid', async () => {
    const maker = await keyWith(['manage']);
    const made = await gateway.call<{ url: string }>('POST', '/v1/dashboard-links', {
      key: maker.apiKey,
      body: {},
    });
    const body = { link: made.body.data.url.split('=')[1] ?? '' };
    const see = () => gateway.call('POST', '/v1/session/link', { body, key: null, headers: page() });
    expect(shown(await see())).toEqual([200, 'ok']);
    await gateway.call('DELETE', `/v1/keys/${maker._id}`);
    expect(shown(await see())).toEqual([410, 'link_used']);
  });

  it('can be deleted while it is unused', async () => {
    const made = await gateway.call<{ _id: string; url: string }>('POST', '/v1/dashboard-links', {
      body: {},
    });
    const path = `/v1/dashboard-links/${made.body.data._id}`;
    expect(shown(await gateway.call('DELETE', path))).toEqual([200, 'ok']);
    expect(shown(await gateway.call('DELETE', path))).toEqual([404, 'link_not_found']);
    expect(shown(await signIn({ link: made.body.data.url.split('=')[1] ?? '' }))).toEqual([410, 'link_used']);
  });
});

describe('a request with the cookie', () => {
  it('obeys the rules of cookies, and a key beside the cookie decides alone', async () => {
    const cookie = cookieOf(await signIn({ key: gateway.apiKey }));
    const bare = as(cookie, {});
    const rotate = (options: CallOptions) => bare.call('POST', '/v1/keys', { body: {}, ...options });
    expect(shown(await rotate({}))).toEqual([403, 'origin_mismatch']);
    expect(shown(await rotate({ headers: page() }))).toEqual([400, 'invalid_request']);
    const crossSite = { 'Sec-Fetch-Site': 'cross-site' };
    expect(shown(await bare.call('GET', '/v1/keys', { headers: crossSite }))).toEqual([
      401,
      'api_key_missing',
    ]);
    const elsewhere = { 'X-Forwarded-Host': 'rebound.example' };
    expect(shown(await bare.call('GET', '/v1/keys', { headers: elsewhere }))).toEqual([421, 'host_mismatch']);
    for (const key of ['', makeKey()]) expect((await bare.call('GET', '/v1/keys', { key })).status).toBe(401);
    const narrow = await keyWith(['messages:read']);
    expect(shown(await bare.call('GET', '/v1/keys', { key: narrow.apiKey }))).toEqual([403, 'forbidden']);
    // the key decides, so the rules of cookies do not apply
    expect(shown(await rotate({ key: gateway.apiKey, headers: elsewhere }))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('never gets credentials allowed by CORS', async () => {
    const cookie = cookieOf(await signIn({ key: gateway.apiKey }));
    const origin = { Origin: 'https://app.example.com' };
    const read = await as(cookie, {}).call('GET', '/v1/session', { headers: origin });
    const preflight = await gateway.call('OPTIONS', '/v1/session', {
      key: null,
      headers: { ...origin, 'Access-Control-Request-Method': 'POST' },
    });
    for (const { headers } of [read, preflight]) {
      expect(headers.get('access-control-allow-origin')).toBe(origin.Origin);
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    }
  });

  it('has a rate of its own, which does not count for the key', async () => {
    const { apiKey } = await keyWith(['messages:read']);
    const { call } = as(cookieOf(await signIn({ key: apiKey })));
    const answers = [];
    for (let n = 0; n < 81; n++) answers.push(await call('GET', '/v1/session'));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(80).fill(200), 429]);
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"session";q=80;w=60');
    const byKey = await gateway.call('GET', '/v1/session', { key: apiKey });
    expect(byKey.headers.get('ratelimit')).toMatch(/^"default";r=58;/);
    expect(byKey.body.data).toMatchObject({ session: null, key: { name: 'K' } });
  });
});

describe('signing out', () => {
  it('ends the session and removes the cookie; a key has no session to end', async () => {
    const cookie = cookieOf(await signIn({ key: gateway.apiKey }));
    const { call } = as(cookie);
    const out = await call('DELETE', '/v1/session');
    expect(shown(out)).toEqual([200, 'ok']);
    expect(out.headers.get('set-cookie')).toMatch(/=; Max-Age=0;/);
    expect(shown(await call('GET', '/v1/session'))).toEqual([401, 'session_invalid']);
    expect(shown(await gateway.call('DELETE', '/v1/session'))).toEqual([404, 'session_not_found']);
  });

  it('of somebody else is possible with manage, in the own account alone', async () => {
    const answer = await signIn({ key: gateway.apiKey });
    const path = `/v1/sessions/${answer.body.data.session?._id}`;
    const listed = await gateway.call<{ items: { _id: string }[] }>('GET', '/v1/sessions?limit=100');
    expect(listed.body.data.items.map(({ _id }) => _id)).toContain(answer.body.data.session?._id);
    const other = await gateway.otherAccount();
    expect(shown(await gateway.call('DELETE', path, { key: other }))).toEqual([404, 'session_not_found']);
    expect(shown(await gateway.call('DELETE', path))).toEqual([200, 'ok']);
    expect(shown(await as(cookieOf(answer)).call('GET', '/v1/session'))).toEqual([401, 'session_invalid']);
  });
});

describe('a page of an allowed origin', () => {
  const origin = { Origin: 'https://app.example.com' };

  it('may call every operation', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const asked = { 'Access-Control-Request-Method': method };
      const headers = { ...origin, ...asked, 'Access-Control-Request-Headers': 'x-api-key,idempotency-key' };
      const answer = await gateway.call('OPTIONS', '/v1/senders/x', { key: null, headers });
      expect(answer.headers.get('access-control-allow-methods')?.split(/, ?/)).toContain(method);
      expect(answer.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    }
  });

  it('reads the headers that retries, repeats and support need', async () => {
    const { headers } = await gateway.call('GET', '/v1/keys', { headers: origin });
    const exposed = String(headers.get('access-control-expose-headers')).toLowerCase().split(/, ?/);
    expect(exposed).toEqual(
      expect.arrayContaining(['retry-after', 'x-request-id', 'idempotency-replayed', 'ratelimit']),
    );
  });

  it('gets the failure form for an OPTIONS that is no preflight', async () => {
    const known = await gateway.call('OPTIONS', '/v1/keys', { key: null, headers: origin });
    expect([known.status, known.body.code, known.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD, POST',
    ]);
    expect(known.body).toMatchObject({ requestId: known.headers.get('x-request-id') });
    expect((await gateway.call('OPTIONS', '/v1/nothing', { key: null })).body.code).toBe('not_found');
  });
});
