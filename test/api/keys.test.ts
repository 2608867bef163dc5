// API keys: shown once, rotated with an overlap, revoked immediately, and always one left that can create others.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKey } from '../../src/accounts/key.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';

interface Key {
  _id: string;
  name: string;
  scopes: string[];
  hint: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  apiKey: string;
}

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    settings: {
      RATE_LIMIT_PER_MINUTE: '60',
      ACCOUNT_RATE_LIMIT_PER_MINUTE: '100',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
});
afterAll(() => gateway?.close());

const make = async (body: object, key = gateway.apiKey) =>
  (await gateway.call<Key>('POST', '/v1/keys', { body, key })).body.data;
const statusWith = async (key: string, path = '/v1/templates') =>
  (await gateway.call('GET', path, { key })).status;
const listOf = async (key: string) =>
  (await gateway.call<{ items: Key[] }>('GET', '/v1/keys?limit=100', { key })).body.data.items;

describe('a key', () => {
  it('is shown once, and lists show only its last characters', async () => {
    const made = await make({ name: 'CRM', scopes: ['templates:read'] });
    expect(made).toMatchObject({
      name: 'CRM',
      scopes: ['templates:read'],
      expiresAt: null,
      lastUsedAt: null,
    });
    expect(made.hint).toBe(made.apiKey.slice(-4));
    const answer = await gateway.call<{ items: Key[] }>('GET', '/v1/keys');
    expect(answer.body.data.items[0]).toMatchObject({ _id: made._id, hint: made.hint });
    expect(answer.text).not.toContain(made.apiKey);
    expect(answer.body.data.items[0]).not.toHaveProperty('apiKey');
  });

  it('is stored only as a hash', async () => {
    const { apiKey } = await make({ name: 'hashed', scopes: ['manage'] });
    const { rows } = await sql`select * from api_keys`.execute(gateway.database.db);
    expect(JSON.stringify(rows)).not.toContain(apiKey);
  });

  it('can access only its own account', async () => {
    const other = await gateway.otherAccount();
    const mine = await make({ name: 'mine', scopes: ['manage'] });
    expect((await listOf(other)).map(({ name }) => name)).toEqual(['first key']);
    for (const [method, path] of [
      ['DELETE', `/v1/keys/${mine._id}`],
      ['POST', `/v1/keys/${mine._id}/rotate`],
    ] as const)
      expect((await gateway.call(method, path, { key: other })).body.code).toBe('key_not_found');
    expect(await statusWith(mine.apiKey, '/v1/keys')).toBe(200);
  });

  it('can have a future expiry, after which it is invalid', async () => {
    const past = await gateway.call('POST', '/v1/keys', {
      body: { name: 'past', scopes: ['manage'], expiresAt: '2020-01-01T00:00:00Z' },
    });
    expect([past.status, past.body.errors]).toEqual([
      400,
      [{ path: 'expiresAt', message: 'is in the past; set a future time, or omit it' }],
    ]);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const [made, ended] = [
      await make({ name: 'brief', scopes: ['templates:read'], expiresAt }),
      await make({ name: 'ended', scopes: ['templates:read'], expiresAt }),
    ];
    expect(made.expiresAt).toBe(expiresAt);
    expect(await statusWith(made.apiKey)).toBe(200);
    await sql`update api_keys set expires_at = now() - interval '1 second' where id = ${ended._id}`.execute(
      gateway.database.db,
    );
    expect(await statusWith(ended.apiKey)).toBe(401);
    const listed = (await listOf(gateway.apiKey)).map(({ _id }) => _id);
    expect([made, ended].map(({ _id }) => listed.includes(_id))).toEqual([true, false]);
  });
});

describe('rotation', () => {
  it('returns a new key with the same name and scopes, while the old one still works', async () => {
    const old = await make({ name: 'CRM', scopes: ['templates:read', 'manage'] });
    const rotated = await gateway.call<Key>('POST', `/v1/keys/${old._id}/rotate`);
    const fresh = rotated.body.data;
    expect(fresh).toMatchObject({ name: old.name, scopes: old.scopes, expiresAt: null });
    expect(fresh.apiKey).not.toBe(old.apiKey);
    expect([await statusWith(old.apiKey), await statusWith(fresh.apiKey)]).toEqual([200, 200]);
    const listed = (await listOf(fresh.apiKey)).find(({ _id }) => _id === old._id);
    const hoursLeft = (Date.parse(listed?.expiresAt ?? '') - Date.now()) / 3_600_000;
    expect(hoursLeft).toBeGreaterThan(23.9);
    expect(hoursLeft).toBeLessThanOrEqual(24);
  });

  it('of a key that was replaced is 409, also at the same time: another new key would end with the overlap', async () => {
    const old = await make({ name: 'CRM', scopes: ['templates:read'] });
    const rotate = (id?: string) => gateway.call<Key>('POST', `/v1/keys/${id}/rotate`);
    const both = await Promise.all([rotate(old._id), rotate(old._id)]);
    const fresh = both.find(({ status }) => status === 200)?.body.data;
    const rejected = both.find(({ status }) => status === 409)?.body;
    expect(rejected?.code).toBe('rotation_in_progress');
    expect(rejected?.message).toContain(fresh?._id);
    expect((await rotate(fresh?._id)).body.data.expiresAt).toBeNull();
  });

  it('without overlap makes the old key invalid immediately', async () => {
    const old = await make({ name: 'leaked', scopes: ['templates:read'] });
    expect(await statusWith(old.apiKey)).toBe(200);
    const body = { overlapSeconds: 0 };
    const rotated = await gateway.call<Key>('POST', `/v1/keys/${old._id}/rotate`, { body });
    expect(await statusWith(rotated.body.data.apiKey)).toBe(200);
    const rejected = await gateway.call('GET', '/v1/templates', { key: old.apiKey });
    expect([rejected.status, rejected.body.code]).toEqual([401, 'api_key_invalid']);
  });
});

describe('a key that creates or rotates keys', () => {
  it('cannot grant more scopes or a later expiry than its own', async () => {
    const first = await gateway.otherAccount();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const own = await make({ name: 'own', scopes: ['manage', 'messages:read'], expiresAt }, first);
    const mint = (body: object) =>
      gateway.call<Key>('POST', '/v1/keys', { key: own.apiKey, body: { name: 'minted', ...body } });
    expect((await mint({ scopes: ['messages:read'] })).body.data.expiresAt).toBe(expiresAt);
    const wide = await make({ name: 'wide', scopes: ['messages:send'], expiresAt }, first);
    const later = new Date(Date.now() + 7_200_000).toISOString();
    for (const answer of [
      await mint({ scopes: ['messages:send'] }),
      await mint({ scopes: ['manage'], expiresAt: later }),
      await gateway.call('POST', `/v1/keys/${wide._id}/rotate`, { key: own.apiKey }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
      expect(answer.body.message).toContain('key create');
    }
    expect((await gateway.call('DELETE', `/v1/keys/${wide._id}`, { key: own.apiKey })).status).toBe(200);
  });
});

describe('revoking', () => {
  it('makes a key invalid immediately, and works once', async () => {
    const made = await make({ name: 'gone', scopes: ['templates:read'] });
    expect(await statusWith(made.apiKey)).toBe(200);
    expect((await gateway.call('DELETE', `/v1/keys/${made._id}`)).status).toBe(200);
    expect(await statusWith(made.apiKey)).toBe(401);
    expect((await gateway.call('DELETE', `/v1/keys/${made._id}`)).body.code).toBe('key_not_found');
  });

  it('is rejected for the last managing key, and of two concurrent ones only one succeeds', async () => {
    const first = await gateway.otherAccount('lonely');
    const [only] = await listOf(first);
    const path = (key?: Key) => `/v1/keys/${key?._id}`;
    const rejected = await gateway.call('DELETE', path(only), { key: first });
    expect([rejected.status, rejected.body.code]).toEqual([409, 'last_manage_key']);
    const second = await make({ name: 'second', scopes: ['manage'] }, first);
    const both = await Promise.all([
      gateway.call('DELETE', path(only), { key: first }),
      gateway.call('DELETE', path(second), { key: second.apiKey }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('does not count a replaced key during its overlap', async () => {
    const first = await gateway.otherAccount('rotating');
    const [old] = await listOf(first);
    const rotated = await gateway.call<Key>('POST', `/v1/keys/${old?._id}/rotate`, { key: first });
    const { _id } = rotated.body.data;
    expect((await gateway.call('DELETE', `/v1/keys/${_id}`, { key: first })).body.code).toBe(
      'last_manage_key',
    );
    expect(
      (await gateway.call('DELETE', `/v1/keys/${old?._id}`, { key: rotated.body.data.apiKey })).status,
    ).toBe(200);
  });
});

describe('the rate of an account', () => {
  it('counts all its keys together, and does not affect other accounts', async () => {
    const key = await gateway.otherAccount('wide');
    const keys = [key];
    for (const name of ['second', 'third'])
      keys.push((await make({ name, scopes: ['templates:read'] }, key)).apiKey);
    const statuses: number[] = [];
    for (let n = 0; n < 100; n++) statuses.push(await statusWith(keys[n % 3] ?? '', '/v1/templates?limit=1'));
    // two requests created the keys
    expect(statuses).toEqual([...Array<number>(98).fill(200), 429, 429]);
    const rejected = await gateway.call('GET', '/v1/templates', { key: keys[1] ?? null });
    expect(rejected.body).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('account'),
    });
    expect(rejected.headers.get('ratelimit-policy')).toBe('"account";q=100;w=60');
    expect(rejected.headers.get('ratelimit')).toMatch(/^"account";r=0;t=\d+$/);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await statusWith(await gateway.otherAccount())).toBe(200);
  });

  it('does not count requests that the rate of a key rejected', async () => {
    const key = await gateway.otherAccount('runaway');
    const { apiKey } = await make({ name: 'other', scopes: ['templates:read'] }, key);
    for (let n = 0; n < 120; n++) await statusWith(apiKey);
    expect(await statusWith(key)).toBe(200);
  });
});

describe('the rate of a key', () => {
  it('is returned with every response; over it, 429 has Retry-After, and other keys are not affected', async () => {
    const { apiKey } = await make({ name: 'busy', scopes: ['templates:read'] });
    const answers = [];
    for (let n = 0; n < 61; n++)
      answers.push(await gateway.call('GET', '/v1/templates?limit=1', { key: apiKey }));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(60).fill(200), 429]);
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"default";q=60;w=60');
    expect(answers[0]?.headers.get('ratelimit')).toMatch(/^"default";r=59;t=\d+$/);
    const last = answers.at(-1);
    expect(last?.body).toMatchObject({ success: false, code: 'rate_limited' });
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(last?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    expect(await statusWith(gateway.apiKey)).toBe(200);
  });
});

interface Failed {
  status: number;
  code: string;
  message: string;
  retryAfter: string | null;
  ms: number;
}

/** Calls from an address with a key; "closed" if the connection was closed. */
async function ask(
  from: string,
  key: string | null = makeKey(),
  path = '/v1/templates',
): Promise<Failed | 'closed'> {
  const began = performance.now();
  const headers = { 'X-Forwarded-For': from };
  try {
    const { status, headers: got, body } = await gateway.call('GET', path, { key, headers });
    const { code = '', message } = body;
    return { status, code, message, retryAfter: got.get('retry-after'), ms: performance.now() - began };
  } catch {
    return 'closed';
  }
}
const times = (count: number, one: (index: number) => Promise<Failed | 'closed'>) =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));
const statusesOf = (answers: (Failed | 'closed')[]) =>
  answers.map((one) => (one === 'closed' ? one : one.status));

describe('an address without a valid key', () => {
  it('gets 60 immediate failures a minute, then 20 at a time after a second, and closed connections beyond', async () => {
    const from = (index: number) => `2001:db8:0:1::${index + 1}`;
    const keys = [makeKey(), null, 'nonsense'];
    const first = await times(60, (index) => ask(from(index), keys[index % 3]));
    expect(statusesOf(first)).toEqual(Array(60).fill(401));
    for (const one of first) expect(one).toMatchObject({ retryAfter: null });
    const answers: (Failed | 'closed')[] = [];
    const later = times(40, async (index) => {
      const answer = await ask(from(index));
      answers.push(answer);
      return answer;
    });
    await expect.poll(() => answers).toContain('closed');
    // not delayed: a valid key, another network, and routes without keys
    expect(await ask(from(1), gateway.apiKey)).toMatchObject({ status: 200 });
    expect(await ask('2001:db8:0:2::1')).toMatchObject({ status: 401, retryAfter: null });
    expect(await ask(from(1), null, '/health/live')).toMatchObject({ status: 200 });
    await later;
    const waited = answers.filter((one) => one !== 'closed');
    expect(waited.length).toBeGreaterThanOrEqual(20);
    for (const { status, code, message, retryAfter, ms } of waited) {
      expect([status, code, message]).toEqual([
        401,
        'api_key_invalid',
        expect.stringContaining('API key is invalid'),
      ]);
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(Number(retryAfter)).toBeLessThanOrEqual(60);
      expect(ms).toBeGreaterThan(990);
    }
  });
});
