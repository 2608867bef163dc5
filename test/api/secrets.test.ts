// Secrets never leak: not in a response, an error or the log, and not in plain text on disk.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLog } from '../../src/base/log.ts';
import { tablesWith } from '../harness/canaries.ts';
import { type EchoingVendor, startEchoingVendor } from '../harness/echoing-vendor.ts';
import {
  addEndpoint,
  addSender,
  type CallOptions,
  type Gateway,
  googleClient,
  startGateway,
} from '../harness/gateway.ts';
import { samples } from '../harness/sample-files.ts';

let gateway: Gateway;
let vendor: EchoingVendor;
let logged = '';
const answers: string[] = [];
/** The secrets, by where they are passed in. */
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
  const write = (line: string) => {
    logged += line;
  };
  const log = openLog('trace', { write });
  vendor = await startEchoingVendor();
  const { url } = vendor;
  const settings = {
    GOOGLE_API_URL: `${url}/google`,
    GOOGLE_TOKEN_URL: `${url}/token`,
    GOOGLE_REVOKE_URL: `${url}/revoke`,
  };
  gateway = await startGateway({ log, settings });
});
afterAll(async () => {
  await gateway?.close();
  vendor?.close();
});

/** All operations with secrets, successful and failing. */
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
  // rejected by the platform, unreachable, malformed
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
  const encrypted = new URL(body.data.authUrl).searchParams.get('state');
  // the provider rejects this code; its error must not contain our secret either
  await call('GET', `/callbacks/calendar?state=${encrypted}&code=${canary('refusedCode')}`, { key: null });
  await call('GET', `/v1/appointments/ext-calendar/status?appointmentUserId=${_id}`);
  await call('PUT', `/v1/appointments/users/${_id}/ext-calendar`, {
    body: {
      ...{ provider: 'caldav', url: 'http://127.0.0.1:1/', username: 'ada' },
      password: canary('calendarPassword'),
    },
  });
}

test('no secret is in a response, in the log, or in plain text in the database', async () => {
  await useSecrets();
  expect(Object.keys(canaries).length).toBeGreaterThan(15);
  expect(logged).toContain('request.done');
  for (const [what, secret] of Object.entries(canaries)) {
    expect([what, answers.filter((answer) => answer.includes(secret))]).toEqual([what, []]);
    expect([what, logged.split('\n').filter((line) => line.includes(secret))]).toEqual([what, []]);
  }
  expect(await tablesWith(gateway.database.db, canaries)).toEqual([]);
});

/** Sends a message and waits until the echoing platform has rejected it. */
async function sendByEcho(templateId: string, senderId: string, phone: string, done: () => Promise<boolean>) {
  const body = { templateId, senderId, recipients: [{ phone }] };
  await call('POST', '/v1/templates/send', { body, headers: { Prefer: 'respond-async' } });
  await expect.poll(done).toBe(true);
  await call('GET', '/v1/messages?limit=100');
  await call('GET', '/v1/senders');
}

/** A platform that repeats what it was sent: rejected numbers, failed messages, halted numbers, templates and files. */
async function echoingPlatform(): Promise<void> {
  const number = {
    name: 'echo',
    phoneNumberId: '77',
    businessAccountId: '78',
    apiUrl: `${vendor.url}/platform`,
  };
  const secrets = {
    accessToken: canary('echoedToken'),
    appSecret: canary('echoedAppSecret', ''),
    verifyToken: 'v',
  };
  const added = await call<{ _id: string }>('POST', '/v1/senders', { body: { ...number, ...secrets } });
  expect(added.status).toBe(200);
  const senderId = added.body.data._id;
  await call('POST', '/v1/templates/sync');
  const list = await call<{ items: { _id: string; businessAccountId: string }[] }>(
    'GET',
    '/v1/templates?limit=100',
  );
  const templateId = list.body.data.items.find((one) => one.businessAccountId === '78')?._id ?? '';
  const stateOf = async (phone: string) =>
    (
      await sql<{ state: number }>`select state from messages where phone = ${phone}`.execute(
        gateway.database.db,
      )
    ).rows[0]?.state;
  await sendByEcho(templateId, senderId, '15550777001', async () => (await stateOf('15550777001')) === 6);
  const isHalted = async () =>
    (
      await sql`select 1 from senders where id = ${senderId} and halted_at is not null`.execute(
        gateway.database.db,
      )
    ).rows.length === 1;
  vendor.code = 190;
  await sendByEcho(templateId, senderId, '15550777002', isHalted);
  await call('PATCH', `/v1/senders/${senderId}`, { body: { name: 'x' } });
  vendor.asPage = true;
  await sendByEcho(templateId, senderId, '15550777003', isHalted);
  vendor.asPage = false;
  const form = new FormData();
  form.set('file', new File([samples.png as never], 'a.png', { type: 'image/png' }));
  await call('POST', '/v1/media', { body: form });
}

/** Google and CalDAV servers that repeat what they were sent. */
async function echoingCalendars(): Promise<void> {
  const staff = async () =>
    (await call<{ _id: string }>('POST', '/v1/appointments/users', { body: { name: 'Echo' } })).body.data._id;
  const id = await staff();
  const consent = async (code: string) => {
    const path = `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${id}`;
    const { body } = await gateway.call<{ authUrl: string }>('GET', path);
    const state = new URL(body.data.authUrl).searchParams.get('state');
    await call('GET', `/callbacks/calendar?state=${state}&code=${code}`, { key: null });
  };
  await consent(canary('echoedCode'));
  const scope = ['calendar.events.owned', 'calendar.freebusy'].map(
    (one) => `https://www.googleapis.com/auth/${one}`,
  );
  vendor.tokens = {
    ...{ access_token: canary('googleAccess'), refresh_token: canary('googleRefresh') },
    ...{ expires_in: 3600, scope: scope.join(' ') },
  };
  await consent('good-code');
  await call('GET', `/v1/appointments/available-slots?appointmentUserId=${id}&date=2030-01-07`);
  await call('GET', `/v1/appointments/ext-calendar/status?appointmentUserId=${id}`);
  vendor.tokens = undefined;
  await call('DELETE', `/v1/appointments/users/${id}/ext-calendar`);
  for (const path of ['', 'elsewhere/', 'unreadable/']) {
    const password = `${canary(`password ${path}`)}/+&`;
    canaries[`pair ${path}`] = Buffer.from(`ada:${password}`).toString('base64');
    canaries[`password in base64 ${path}`] = Buffer.from(password).toString('base64');
    const body = { provider: 'caldav', url: `${vendor.url}/dav/${path}`, username: 'ada', password };
    await call('PUT', `/v1/appointments/users/${await staff()}/ext-calendar`, { body });
  }
}

/** A receiver that knows its secret and repeats it. */
async function echoingReceiver(): Promise<void> {
  const secret = `whsec_${Buffer.from(canary('receiverSecret')).toString('base64')}`;
  canaries.receiverSecretShown = secret;
  canaries.receiverSecretPart = secret.slice('whsec_'.length);
  vendor.knows = secret;
  const body = { url: `${vendor.url}/hook`, secret };
  const made = await gateway.call<{ _id: string }>('POST', '/v1/webhooks/endpoints', { body });
  await call('POST', `/v1/webhooks/endpoints/${made.body.data._id}/test`);
  const { body: list } = await call<{ items: { _id: string }[] }>('GET', '/v1/webhooks/deliveries');
  for (const { _id } of list.data.items) await call('GET', `/v1/webhooks/deliveries/${_id}`);
  expect(answers.filter((one) => one.includes('/deliveries/') && one.includes('wants '))).not.toEqual([]);
}

test('secrets repeated by vendors are not stored, logged, returned or sent on', async () => {
  await addEndpoint(gateway, { hook: 'echo' });
  await echoingPlatform();
  await echoingCalendars();
  await echoingReceiver();
  const webhooks = JSON.stringify(await gateway.receiver.events({ hook: 'echo', waitSeconds: 30 }));
  expect(webhooks).toContain('[secret]');
  const calls = vendor.calls.join('\n');
  for (const what of [
    'echoedToken',
    'echoedCode',
    'googleAccess',
    'googleRefresh',
    'password ',
    'receiverSecretShown',
  ])
    expect([what, calls.includes(canaries[what] ?? '?')]).toEqual([what, true]);
  for (const [what, secret] of Object.entries(canaries)) {
    expect([what, answers.filter((answer) => answer.includes(secret))]).toEqual([what, []]);
    expect([what, logged.split('\n').filter((line) => line.includes(secret))]).toEqual([what, []]);
    expect([what, webhooks.includes(secret)]).toEqual([what, false]);
  }
  expect(await tablesWith(gateway.database.db, canaries)).toEqual([]);
});

test('line breaks in a header, path or field do not create log lines', async () => {
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
