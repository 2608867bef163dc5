// The audit log: every operation that manages an account writes who did what, in the transaction of the change, and no secret.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditableFields } from '../../src/contract/audit.ts';
import { operations } from '../../src/contract/operations.ts';
import { audited, notAudited } from '../harness/audited-operations.ts';
import { addSender, type CallOptions, type Gateway, startGateway } from '../harness/gateway.ts';

interface Entry {
  _id: string;
  actor: { kind: string; id: string | null; name: string | null };
  address: string | null;
  action: string;
  subject: { kind: string; id: string };
  changes: Record<string, unknown>;
}

let gateway: Gateway;
let senderId: string;
let templateId: string;
beforeAll(async () => {
  gateway = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const };
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const added = await addSender(gateway, [{ name: 'hello', ...seed, components }]);
  senderId = added.senderId;
  templateId = added.templateIds.hello ?? '';
});
afterAll(() => gateway?.close());

const entries = async (query = '') =>
  (
    await gateway.call<{ items: Entry[]; pagination: { nextCursor: string | null } }>(
      'GET',
      `/v1/audit?limit=100${query}`,
    )
  ).body.data;

it('every operation that changes something is audited, or named with the reason why not', () => {
  const changing = Object.keys(operations).filter((name) => !name.startsWith('GET '));
  expect([...Object.keys(audited), ...Object.keys(notAudited)].sort()).toEqual(changing.sort());
  // a new account is created by the command line alone, a draft is overwritten by a reading
  const others = ['account.created', 'template.overwritten'];
  const actions = new Set([...Object.values(audited).flat(), ...others]);
  expect([...actions].sort()).toEqual(Object.keys(auditableFields).sort());
});

async function did<T = { _id: string }>(
  method: string,
  path: string,
  body?: unknown,
  more: CallOptions = {},
) {
  const answer = await gateway.call<T>(method, path, { ...(body === undefined ? {} : { body }), ...more });
  expect([method, path, answer.status, answer.text]).toEqual([method, path, 200, expect.any(String)]);
  return answer.body.data;
}

const secret = 'whsec_ThisIsMySecretThatNobodySees';

async function manageAccess() {
  const key = await did<{ _id: string; apiKey: string }>('POST', '/v1/keys', {
    name: 'k',
    scopes: ['manage'],
  });
  await did('POST', `/v1/keys/${key._id}/rotate`, {});
  await did('DELETE', `/v1/keys/${key._id}`);
  const link = await did('POST', '/v1/dashboard-links', { name: 'Maria' });
  await did('DELETE', `/v1/dashboard-links/${link._id}`);
  const headers = { Origin: gateway.url, 'X-Requested-With': 'chatbot-gateway' };
  const signIn = { key: null, headers };
  const { session } = await did<{ session: { _id: string } }>(
    'POST',
    '/v1/session',
    { key: gateway.apiKey },
    signIn,
  );
  await did('DELETE', `/v1/sessions/${session._id}`);
  const url = `${gateway.receiver.hookUrl('main')}?token=hidden`;
  const endpoint = await did('POST', '/v1/webhooks/endpoints', { url, secret });
  const path = `/v1/webhooks/endpoints/${endpoint._id}`;
  await did('PATCH', path, { status: 'paused' });
  await did('POST', `${path}/rotate-secret`, {});
  await did('POST', `${path}/activate-secret`, {});
  await did('DELETE', path);
  await did('PUT', '/v1/opt-outs/settings', { stopWords: ['stop'], startWords: [], buttonPayloads: [] });
  await did('PUT', '/v1/retention', { received: 20 });
  await did('POST', '/v1/contacts/erase', { phone: '15550109998' });
}

/** The platform pauses the template, and the gateway knows. */
async function pauseTemplate(id: string): Promise<void> {
  type Detail = { providerTemplateId: string; providerStatus: string };
  const detail = async () => (await gateway.call<Detail>('GET', `/v1/templates/${id}`)).body.data;
  await gateway.platform.changeTemplate((await detail()).providerTemplateId, { status: 'PAUSED' });
  await expect.poll(async () => (await detail()).providerStatus).toBe('PAUSED');
}

async function manageMessaging() {
  const draft = await did('POST', '/v1/templates', {
    ...{ providerTemplateName: 'own', language: 'en', category: 'UTILITY' },
    components: [{ type: 'BODY', text: 'Own text.' }],
  });
  await did('PATCH', `/v1/templates/${draft._id}`, { components: [{ type: 'BODY', text: 'Another text.' }] });
  await did('POST', `/v1/templates/${draft._id}/submit`);
  await pauseTemplate(draft._id);
  await did('POST', `/v1/templates/${draft._id}/unpause`);
  await did('DELETE', `/v1/templates/${draft._id}`);
  const form = new FormData();
  form.set('file', new Blob(['hello'], { type: 'text/plain' }), 'hello.txt');
  const { mediaId } = await did<{ mediaId: string }>('POST', '/v1/templates/media', form);
  await did('DELETE', `/v1/media/${mediaId}`);
  const sendWith = async (more: object) => {
    const { sendId } = await did<{ sendId: string }>('POST', '/v1/sends', { templateId, name: 's', ...more });
    await did('POST', `/v1/sends/${sendId}/recipients`, { recipients: [{ phone: '15550100001' }] });
    await did('POST', `/v1/sends/${sendId}/start`);
    return `/v1/sends/${sendId}`;
  };
  const scheduled = await sendWith({ sendAt: new Date(Date.now() + 3_600_000).toISOString() });
  await did('POST', `${scheduled}/pause`);
  await did('POST', `${scheduled}/resume`);
  await did('POST', `${scheduled}/cancel`);
  await sendWith({});
  await did('PATCH', `/v1/senders/${senderId}`, { name: 'Renamed' });
}

async function manageAppointments() {
  const department = await did('POST', '/v1/appointments/departments', { name: 'Care' });
  await did('PATCH', `/v1/appointments/departments/${department._id}`, { name: 'Caring' });
  await did('DELETE', `/v1/appointments/departments/${department._id}`);
  const staff = await did('POST', '/v1/appointments/users', { name: 'Asha', calendar: 'none' });
  const path = `/v1/appointments/users/${staff._id}`;
  await did('PATCH', path, { name: 'Asha N.' });
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const weekly = days.map((weekday) => ({ weekday, from: '09:00', to: '12:00' }));
  await did('PUT', `${path}/schedule`, { timezone: 'UTC', slotMinutes: 30, weekly });
  await did('PUT', `${path}/form-questions`, []);
  const date = Temporal.Now.plainDateISO('UTC').add({ days: 3 }).toString();
  const booking = await did<{ bookingId: string }>(
    'POST',
    '/v1/appointments/book',
    {
      ...{ appointmentUserId: staff._id, date, from: '09:00', to: '09:30' },
      ...{ email: 'secret-person@example.com', phoneNumber: '15550109999' },
    },
    { headers: { 'Idempotency-Key': randomUUID() } },
  );
  const of = `/v1/appointments/bookings/${booking.bookingId}`;
  await did('POST', `${of}/reschedule`, { date, from: '10:00', to: '10:30' });
  await did('POST', `${of}/cancel`, {});
  await did('DELETE', path);
}

it('records each action with its actor and address, and neither secrets nor personal data', async () => {
  await manageAccess();
  await manageMessaging();
  await manageAppointments();
  const all: Entry[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await entries(cursor === '' ? '' : `&cursor=${cursor}`);
    all.push(...page.items);
    cursor = page.pagination.nextCursor;
  }
  // calendars: see appointments-calendar.test.ts; drafts: draft-submissions.test.ts; the sender stays for the other tests
  const elsewhere = ['calendar.', 'template.overwritten', 'sender.deleted'];
  const expected = Object.keys(auditableFields).filter(
    (one) => !elsewhere.some((start) => one.startsWith(start)),
  );
  expect([...new Set(all.map(({ action }) => action))].sort()).toEqual(expected.sort());
  for (const { action, actor, address, subject, changes } of all) {
    if (action === 'account.created') continue;
    expect([action, actor.kind, address]).toEqual([
      action,
      action === 'session.created' ? 'session' : 'key',
      '127.0.0.1',
    ]);
    expect(subject.kind).toBe(action.split('.')[0]);
    for (const field of Object.keys(changes))
      expect([action, auditableFields[action as keyof typeof auditableFields]]).toEqual([
        action,
        expect.arrayContaining([field]),
      ]);
  }
  const text = JSON.stringify(all);
  for (const hidden of [
    secret,
    'token=hidden',
    'secret-person',
    '15550109999',
    '15550109998',
    'Own text',
    'cgw_',
    '#link',
  ])
    expect(text).not.toContain(hidden);
  const [created] = (await entries('&action=endpoint.created')).items;
  expect(created?.changes.url).toBe(gateway.receiver.hookUrl('main'));
});

it('names the session that acted, and is filtered by action, object and time', async () => {
  const headers = { Origin: gateway.url, 'X-Requested-With': 'chatbot-gateway' };
  const signedIn = await gateway.call<{ session: { _id: string } }>('POST', '/v1/session', {
    ...{ key: null, headers: { ...headers, 'X-Forwarded-For': '203.0.113.7' } },
    body: { key: gateway.apiKey },
  });
  const Cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] ?? '';
  const made = await did(
    'POST',
    '/v1/keys',
    { name: 'by session', scopes: ['messages:read'] },
    {
      ...{ key: null, headers: { ...headers, Cookie, 'X-Forwarded-For': '203.0.113.7' } },
    },
  );
  const { items } = await entries(`&subjectId=${made._id}&action=key.created`);
  const id = signedIn.body.data.session._id;
  expect(items).toMatchObject([
    { actor: { kind: 'session', id, name: 'first key' }, address: '203.0.113.7' },
  ]);
  expect(
    (await entries(`&subjectId=${made._id}&to=${new Date(Date.now() - 60_000).toISOString()}`)).items,
  ).toEqual([]);
  expect((await entries('&subjectId=x')).items).toEqual([]);
  const other = await gateway.otherAccount();
  const theirs = await gateway.call<{ items: Entry[] }>('GET', '/v1/audit', { key: other });
  expect(theirs.body.data.items.map(({ action }) => action)).toEqual(['account.created']);
});

it('has no entry of a change that failed', async () => {
  const count = async () => (await sql`select 1 from audit_log`.execute(gateway.database.db)).rows.length;
  const before = await count();
  for (const [method, path, body] of [
    ['DELETE', `/v1/keys/${randomUUID()}`, undefined],
    ['POST', '/v1/keys', { name: 'past', scopes: ['manage'], expiresAt: '2020-01-01T00:00:00Z' }],
    ['DELETE', `/v1/webhooks/endpoints/${randomUUID()}`, undefined],
    ['PATCH', `/v1/appointments/departments/${randomUUID()}`, { name: 'x' }],
    ['DELETE', `/v1/sessions/${randomUUID()}`, undefined],
  ] as const)
    expect((await gateway.call(method, path, body ? { body } : {})).status).toBeGreaterThanOrEqual(400);
  expect(await count()).toBe(before);
});
