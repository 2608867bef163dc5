// Secrets that go in never come out: not in an answer, not in an error, not in the log, and not in the clear on disk.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLog } from '../../src/base/log.ts';
import { addSender, type CallOptions, type Gateway, googleClient, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
let logged = '';
const answers: string[] = [];
/** Each by where it went in. */
const canaries: Record<string, string> = { googleClientSecret: googleClient.secret };

const canary = (name: string, prefix = 'canary-'): string => {
  const text = `${prefix}${randomBytes(16).toString('hex')}`;
  canaries[name] = text;
  return text;
};

async function call<T>(method: string, path: string, options: CallOptions = {}) {
  const answer = await gateway.call<T>(method, path, options);
  answers.push(`${method} ${path.split('?')[0]} ${answer.text} ${JSON.stringify([...answer.headers])}`);
  return answer;
}

beforeAll(async () => {
  const log = openLog('trace', {
    write: (line: string) => {
      logged += line;
    },
  });
  gateway = await startGateway({ log });
});
afterAll(() => gateway?.close());

/** Everything that is done with secrets, well and badly. */
async function useSecrets(): Promise<void> {
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const, components };
  const { senderId, templateIds } = await addSender(gateway, [{ name: 'hello', ...seed }]);
  const secrets = () => ({
    accessToken: canary('accessToken'),
    appSecret: canary('appSecret', ''),
    verifyToken: canary('verifyToken'),
  });
  const number = { name: 'x', phoneNumberId: '1', businessAccountId: '2' };
  // refused by the platform, unreachable, malformed
  await call('POST', '/v1/senders', { body: { ...number, ...secrets() } });
  await call('POST', '/v1/senders', { body: { ...number, ...secrets(), apiUrl: 'http://127.0.0.1:1' } });
  await call('POST', '/v1/senders', { body: { ...number, ...secrets(), phoneNumberId: {} } });
  await call('POST', '/v1/senders', { body: JSON.stringify({ ...number, ...secrets() }).slice(0, -1) });
  await call('PATCH', `/v1/senders/${senderId}`, { body: { accessToken: `${canary('badToken')}\r\n` } });
  await call('PATCH', `/v1/senders/${senderId}`, {
    body: { appSecret: canary('newAppSecret', ''), verifyToken: canary('newVerifyToken') },
  });
  await call('GET', '/v1/senders');
  await call(
    'GET',
    `/callbacks/messaging/${senderId}?hub.mode=subscribe&hub.verify_token=${canary('guess')}`,
    {
      key: null,
    },
  );
  await webhooks();
  await call('POST', '/v1/templates/send', {
    body: { templateId: templateIds.hello, recipients: [{ phone: '15550100001' }] },
    headers: {
      'Idempotency-Key': randomUUID(),
      Authorization: canary('authorization'),
      Cookie: canary('cookie'),
    },
  });
  const wrongKey = `cgw_${canary('wrongKey')}`;
  await call('GET', '/v1/templates', { key: wrongKey });
  await call('GET', '/v1/appointments/departments', { key: wrongKey });
  await calendars();
  await call('GET', '/metrics', { key: null });
  await call('GET', '/health/ready', { key: null });
  await call('GET', '/openapi.json', { key: null });
}

async function webhooks(): Promise<void> {
  const secret = `${canary('endpointSecret')}`;
  const url = gateway.receiver.hookUrl('secrets');
  const made = await gateway.call<{ _id: string; secret: string }>('POST', '/v1/webhooks/endpoints', {
    body: { url, secret },
  });
  expect(made.body.data.secret).toBe(secret);
  const path = `/v1/webhooks/endpoints/${made.body.data._id}`;
  await call('GET', path);
  await call('GET', '/v1/webhooks/endpoints');
  await call('PATCH', path, { body: { description: 'x' } });
  await call('POST', `${path}/test`);
  await call('POST', '/v1/webhooks/endpoints', {
    body: { url: 'nonsense', secret: canary('refusedSecret') },
  });
  const rotated = await gateway.call<{ secret: string }>('POST', `${path}/rotate-secret`);
  canaries.rotatedSecret = rotated.body.data.secret;
  await call('POST', `${path}/activate-secret`);
  await call('GET', '/v1/webhooks/deliveries');
  const key = await gateway.call<{ apiKey: string }>('POST', '/v1/keys', {
    body: { name: 'k', scopes: ['templates:read'] },
  });
  canaries.apiKey = key.body.data.apiKey;
  await call('GET', '/v1/keys');
  await call('GET', '/v1/templates', { key: canaries.apiKey as string });
  await call('POST', '/v1/keys', { key: canaries.apiKey as string, body: { name: 'x', scopes: ['manage'] } });
}

async function calendars(): Promise<void> {
  const { _id } = (await call<{ _id: string }>('POST', '/v1/appointments/users', { body: { name: 'Asha' } }))
    .body.data;
  const state = canary('oauthState');
  await call('GET', `/callbacks/calendar?state=${state}&code=${canary('oauthCode')}`, { key: null });
  const { body } = await gateway.call<{ authUrl: string }>(
    'GET',
    `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${_id}`,
  );
  const sealed = new URL(body.data.authUrl).searchParams.get('state');
  // the provider refuses this code; its words must not carry our secret either
  await call('GET', `/callbacks/calendar?state=${sealed}&code=${canary('refusedCode')}`, { key: null });
  await call('GET', `/v1/appointments/ext-calendar/status?appointmentUserId=${_id}`);
  await call('PUT', `/v1/appointments/users/${_id}/ext-calendar`, {
    body: {
      ...{ provider: 'caldav', url: 'http://127.0.0.1:1/', username: 'ada' },
      password: canary('calendarPassword'),
    },
  });
}

async function tablesWithCanaries(): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
    gateway.database.db,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(
      gateway.database.db,
    );
    // bytes are shown in hex
    const text = rows.map(({ row }) => row).join('\n');
    for (const [what, secret] of Object.entries(canaries)) {
      const hex = Buffer.from(secret).toString('hex');
      if (text.includes(secret) || text.includes(hex)) found.push(`${name}: ${what}`);
    }
  }
  return found;
}

test('no secret is in any answer, in the log, or in the clear in the database', async () => {
  await useSecrets();
  expect(Object.keys(canaries).length).toBeGreaterThan(15);
  expect(logged).toContain('request.done');
  for (const [what, secret] of Object.entries(canaries)) {
    expect([what, answers.filter((answer) => answer.includes(secret))]).toEqual([what, []]);
    expect([what, logged.split('\n').filter((line) => line.includes(secret))]).toEqual([what, []]);
  }
  expect(await tablesWithCanaries()).toEqual([]);
});

test('a line that a caller puts into a header, path or field stays one line of the log', async () => {
  const before = logged.split('\n').length;
  await gateway.call('GET', '/v1/templates/x%0a%7B%22level%22%3A60%7D', {
    headers: { 'X-Request-Id': 'a b {"x":1}' },
  });
  await gateway.call('POST', '/v1/keys', { body: { name: 'x\n{"level":60}', scopes: ['manage'] } });
  const lines = logged
    .split('\n')
    .slice(before - 1)
    .filter((line) => line !== '');
  expect(lines.map((line) => typeof JSON.parse(line).msg)).toEqual(lines.map(() => 'string'));
});
