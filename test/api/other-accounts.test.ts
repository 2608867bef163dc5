// Ids of another account in every path, query and body: they are unknown, and nothing of that account changes.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  addEndpoint,
  addSender,
  type CallOptions,
  type Gateway,
  number,
  startGateway,
} from '../harness/gateway.ts';
import { type Operation, operationsOf, sampleOf } from '../harness/operations.ts';

let gateway: Gateway;
let operations: Operation[];
let otherKey: string;
/** Ids of the owner's objects, by type. */
const owned: Record<string, string> = {};

const everyDay = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const day = Temporal.Now.plainDateISO('UTC').add({ days: 3 }).toString();

async function made<T = { _id: string }>(method: string, path: string, options: CallOptions = {}) {
  const answer = await gateway.call<T>(method, path, options);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body.data;
}

beforeAll(async () => {
  gateway = await startGateway();
  const components = [{ type: 'BODY', text: 'Hello there.' }];
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const, components };
  const { senderId, templateIds } = await addSender(gateway, [{ name: 'hello', ...seed }]);
  owned.sender = senderId;
  owned.template = templateIds.hello as string;
  owned.endpoint = (await addEndpoint(gateway)).endpointId;
  owned.key = (await made('POST', '/v1/keys', { body: { name: 'k', scopes: ['manage'] } }))._id;
  owned.link = (await made('POST', '/v1/dashboard-links', { body: {} }))._id;
  const signedIn = await made<{ session: { _id: string } }>('POST', '/v1/session', {
    body: { key: gateway.apiKey },
    headers: { Origin: gateway.url, 'X-Requested-With': 'chatbot-gateway' },
  });
  owned.session = signedIn.session._id;
  const form = new FormData();
  form.set('file', new Blob(['hello'], { type: 'text/plain' }), 'hello.txt');
  owned.media = (await made<{ mediaId: string }>('POST', '/v1/templates/media', { body: form })).mediaId;
  const sent = await made<{ sendId: string; messages: { id: string }[] }>('POST', '/v1/templates/send', {
    body: { templateId: owned.template, recipients: [{ phone: '15550100001' }] },
  });
  owned.send = sent.sendId;
  owned.message = sent.messages[0]?.id as string;
  await directory();
  await gateway.platform.write(number.id, { messages: [{ from: { phone: '15550100002' }, kind: 'text' }] });
  const listed = async (path: string) =>
    (await made<{ items: { _id: string }[] }>('GET', path)).items[0]?._id;
  await vi.waitUntil(() => listed('/v1/messages/received'), { timeout: 30_000 });
  owned.received = (await listed('/v1/messages/received')) as string;
  owned.contact = (await listed('/v1/contacts')) as string;
  // contacts are listed with their last message a moment later
  await vi.waitUntil(() => listed('/v1/contacts?sort=-lastMessageAt'), { timeout: 30_000 });
  const deliveries = () =>
    made<{ items: { _id: string; status: string }[] }>('GET', '/v1/webhooks/deliveries?status=delivered');
  while ((await deliveries()).items.length < 3) await gateway.receiver.events({ waitSeconds: 1 });
  owned.delivery = (await deliveries()).items[0]?._id as string;
  otherKey = await gateway.otherAccount();
  operations = await operationsOf(gateway);
});
afterAll(() => gateway?.close());

async function directory(): Promise<void> {
  owned.department = (await made('POST', '/v1/appointments/departments', { body: { name: 'Care' } }))._id;
  const staff = { name: 'Asha', calendar: 'none', departmentIds: [owned.department] };
  owned.staff = (await made('POST', '/v1/appointments/users', { body: staff }))._id;
  const weekly = everyDay.map((weekday) => ({ weekday, from: '09:00', to: '12:00' }));
  await made('PUT', `/v1/appointments/users/${owned.staff}/schedule`, {
    body: { timezone: 'UTC', slotMinutes: 30, weekly },
  });
  const appointment = { appointmentUserId: owned.staff, date: day, from: '09:00', to: '09:30' };
  const booked = await made<{ bookingId: string }>('POST', '/v1/appointments/book', {
    body: { ...appointment, email: 'ada@example.com', phoneNumber: '15550100001' },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  owned.booking = booked.bookingId;
}

/** Everything that the owner can read in their account, except times that are written with a delay. */
async function ownersView(): Promise<string> {
  const lists = operations.filter(
    ({ method, path }) =>
      method === 'GET' && !path.includes('{') && !/^\/v1\/(events\/stream|operator\/health)$/.test(path),
  );
  const seen: string[] = [];
  for (const { path, query } of lists) {
    const needed = query.filter((one) => one.required);
    const values = needed.map(({ name }) => `${name}=${name === 'date' ? day : owned.staff}`);
    const { text } = await gateway.call('GET', `${path}?${values.join('&')}`);
    // a URL that is different in each response, and counts that follow a few seconds later
    if (!path.endsWith('/auth-url') && !/^\/v1\/(?:statistics\/|overview$)/.test(path))
      seen.push(path, text.replace(/"(?:lastUsedAt|lastCallbackAt)":(?:"[^"]*"|null)/g, ''));
  }
  return seen.join('\n');
}

/** The type of an id in a path. */
function thingIn(path: string): string {
  const things: Record<string, string> = {
    keys: 'key',
    templates: 'template',
    sends: 'send',
    messages: 'message',
    received: 'received',
    contacts: 'contact',
    media: 'media',
    senders: 'sender',
    departments: 'department',
    users: 'staff',
    bookings: 'booking',
    sessions: 'session',
    'dashboard-links': 'link',
    endpoints: 'endpoint',
    deliveries: 'delivery',
  };
  const name = path.split('/{')[0]?.split('/').at(-1) ?? '';
  return things[name] ?? expect.unreachable(`${path}: no thing of the owner for ${name}`);
}

test('every path with an id of another account is 404 and changes nothing', async () => {
  const before = await ownersView();
  // a phone is no id of an account
  const withIds = operations.filter(({ path }) => path.includes('{') && !path.endsWith('{phone}'));
  expect(withIds.length).toBeGreaterThan(25);
  for (const { method, path, body } of withIds) {
    const id = owned[thingIn(path)] as string;
    const answer = await gateway.call(method, path.replace(/\{\w+\}/, id), {
      key: otherKey,
      ...(body ? { body: bodyFor(path, sampleOf(body)) } : {}),
    });
    expect([method, path, answer.status]).toEqual([method, path, 404]);
    expect(answer.body.code).toMatch(/_not_found$/);
    expect(answer.text).not.toContain('Asha');
  }
  expect(await ownersView()).toBe(before);
});

/** Valid bodies, so that only the id is rejected. */
function bodyFor(path: string, sample: unknown): unknown {
  if (path.endsWith('/schedule')) return { timezone: 'UTC', slotMinutes: 30, weekly: [] };
  if (path.endsWith('/form-questions')) return [];
  if (path.endsWith('/replay') && sample) return { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
  if (path.endsWith('/reschedule')) return { date: day, from: '10:00', to: '10:30' };
  if (/(departments|users)\/\{id\}$/.test(path)) return { name: 'x' };
  if (path.endsWith('endpoints/{id}')) return { description: 'x' };
  return sample;
}

test('every query parameter with an id finds nothing of another account', async () => {
  const things: Record<string, string> = {
    sendId: 'send',
    templateId: 'template',
    messageId: 'message',
    departmentId: 'department',
    appointmentUserId: 'staff',
    endpointId: 'endpoint',
  };
  let asked = 0;
  for (const { method, path, query } of operations.filter(({ path }) => !path.includes('{'))) {
    for (const { name } of query) {
      const thing = things[name];
      if (thing === undefined) continue;
      asked += 1;
      const date = query.some((one) => one.name === 'date') ? `&date=${day}` : '';
      const answer = await gateway.call<{ items?: unknown[] }>(
        method,
        `${path}?${name}=${owned[thing]}${date}`,
        { key: otherKey },
      );
      const found = answer.status === 200 ? answer.body.data.items : answer.status;
      expect([path, name, found]).toEqual([path, name, answer.status === 200 ? [] : 404]);
    }
  }
  expect(asked).toBeGreaterThan(8);
});

test('every body with an id of another account is rejected and writes nothing', async () => {
  const before = await ownersView();
  const recipients = [{ phone: '15550100009' }];
  const own = await gateway.call<{ _id: string }>('POST', '/v1/templates', {
    key: otherKey,
    body: {
      ...{ providerTemplateName: 'own', language: 'en', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'Own.' }],
    },
  });
  const appointment = {
    date: day,
    from: '10:00',
    to: '10:30',
    email: 'b@example.com',
    phoneNumber: '15550100002',
  };
  const bodies: [string, string, object, number][] = [
    ['POST', '/v1/templates/send', { templateId: owned.template, recipients }, 404],
    [
      'POST',
      '/v1/templates/send',
      { templateId: own.body.data._id, senderId: owned.sender, recipients },
      404,
    ],
    ['POST', '/v1/templates/send', { templateId: own.body.data._id, mediaId: owned.media, recipients }, 400],
    ['POST', '/v1/appointments/book', { ...appointment, appointmentUserId: owned.staff }, 404],
    ['POST', '/v1/appointments/users', { name: 'x', departmentIds: [owned.department] }, 400],
  ];
  for (const [method, path, body, status] of bodies) {
    const headers = { 'Idempotency-Key': randomUUID() };
    const answer = await gateway.call(method, path, { key: otherKey, body, headers });
    expect([path, body, answer.status]).toEqual([path, body, status]);
  }
  expect(await ownersView()).toBe(before);
  const sent = await gateway.call<{ items: unknown[] }>('GET', '/v1/messages', { key: otherKey });
  expect(sent.body.data.items).toEqual([]);
});

test("one account's Idempotency-Key does not affect another", async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { templateId: owned.template, recipients: [{ phone: '15550100003' }] };
  const first = await gateway.call('POST', '/v1/templates/send', { body, headers });
  expect(first.status).toBe(200);
  const other = await gateway.call('POST', '/v1/templates/send', { key: otherKey, body, headers });
  expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([404, null]);
});

test('a cursor of one account lists nothing of it for another', async () => {
  const cursor = Buffer.from(JSON.stringify(['ffffffff-ffff-7fff-bfff-ffffffffffff'])).toString('base64url');
  for (const path of ['/v1/messages', '/v1/media', '/v1/webhooks/deliveries', '/v1/appointments/bookings']) {
    const mine = await gateway.call<{ items: unknown[] }>('GET', `${path}?cursor=${cursor}`);
    expect(mine.body.data.items.length).toBeGreaterThan(0);
    const theirs = await gateway.call<{ items: unknown[] }>('GET', `${path}?cursor=${cursor}`, {
      key: otherKey,
    });
    expect([path, theirs.body.data.items]).toEqual([path, []]);
  }
});
