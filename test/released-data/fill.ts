// Fills a released gateway through its API and its sandbox, so that its database has rows in every table and state.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { googleControl } from '../../sandbox/google/control-client.ts';
import type { Call } from '../harness/gateway-client.ts';

const control = (url: string, path: string, body: unknown) =>
  fetch(`${url}/sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) });

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(100);
}

export interface Demo {
  apiKey: string;
  accountId: string;
  sandbox: { cloudApiUrl: string; googleUrl: string; receiverUrl: string };
}

interface Item {
  _id: string;
  name: string;
  providerTemplateName: string;
}

export async function upload(
  url: string,
  apiKey: string,
  name: string,
  type: string,
  bytes: Uint8Array<ArrayBuffer>,
) {
  const form = new FormData();
  form.set('file', new Blob([bytes], { type }), name);
  const headers = { 'X-API-Key': apiKey };
  const answer = await fetch(`${url}/v1/templates/media`, { method: 'POST', body: form, headers });
  return ((await answer.json()) as { data: { mediaId: string } }).data.mediaId;
}

export async function fillMessages(call: Call, demo: Demo, mediaId: string): Promise<void> {
  const { items } = await call<{ items: Item[] }>('GET', '/v1/templates?limit=100');
  const idOf = (name: string) => items.find((item) => item.providerTemplateName === name)?._id;
  const send = (body: object, headers = {}) => call('POST', '/v1/templates/send', body, headers);
  const variables = { '1': 'Ada', '2': 'A-1001', '3': 'on Friday' };
  const to = (...endings: string[]) => endings.map((ending) => ({ phone: `1555${ending}`, variables }));
  const templateId = idOf('order_update');
  // read, delivered, sent, accepted, read alone, failed later, refused
  const endings = [
    '0100001',
    '0000000201',
    '0000000203',
    '0000000204',
    '0000000202',
    '0000131026',
    '0001131049',
  ];
  await send(
    { templateId, recipients: to(...endings), metadata: { order: '7' } },
    { 'Idempotency-Key': randomUUID() },
  );
  const picture = { phone: '15550100002', mediaId, variables: { '1': 'Ada', 'buttons.0.1': 'summer' } };
  await send({ templateId: idOf('new_collection'), recipients: [picture] });
  await until(async () => {
    const { items: read } = await call<{ items: unknown[] }>('GET', '/v1/messages?status=read');
    return read.length >= 2;
  });
  const { receiverUrl, cloudApiUrl } = demo.sandbox;
  // deliveries that wait for their next try, and later stages that wait behind them
  await control(receiverUrl, 'faults', { does: 'answer', status: 500 });
  await send({ templateId, recipients: to('0100003') });
  await sleep(2_000);
  // a call that is never answered, and messages that stay queued
  await control(cloudApiUrl, 'faults', { on: 'messages', does: 'hang', times: 1 });
  await send(
    { templateId, recipients: to('0100004'), expiresInSeconds: 2_592_000 },
    { Prefer: 'respond-async' },
  );
  await sleep(500);
  await control(cloudApiUrl, 'faults', { on: 'messages', code: 130429 });
  const { sendId } = (await send({ templateId, recipients: to('0100005') }, { Prefer: 'respond-async' })) as {
    sendId: string;
  };
  await call('POST', `/v1/sends/${sendId}/cancel`);
  await send(
    { templateId, recipients: to('0100006', '0100007'), expiresInSeconds: 2_592_000 },
    { Prefer: 'respond-async' },
  );
}

export async function fillAppointments(call: Call, demo: Demo): Promise<void> {
  const { items: staff } = await call<{ items: Item[] }>('GET', '/v1/appointments/users');
  staff.sort((a, b) => a.name.localeCompare(b.name));
  const { _id: local } = await call<Item>('POST', '/v1/appointments/users', {
    name: 'Local',
    calendar: 'none',
  });
  const weekly = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map(
    (weekday) => ({
      weekday,
      from: '08:00',
      to: '20:00',
    }),
  );
  await call('PUT', `/v1/appointments/users/${local}/schedule`, { timezone: 'UTC', slotMinutes: 60, weekly });
  const calendars = staff.map(({ _id }) => _id);
  for (const id of calendars) {
    await call('PUT', `/v1/appointments/users/${id}/schedule`, { timezone: 'UTC', slotMinutes: 60, weekly });
    await call('PUT', `/v1/appointments/users/${id}/form-questions`, [
      { question: 'Order number', questionType: 'text', isRequired: true },
    ]);
  }
  const date = Temporal.Now.plainDateISO('UTC').add({ days: 2 }).toString();
  const book = (id: string, from: string, to: string) =>
    call<Booked>(
      'POST',
      '/v1/appointments/book',
      {
        appointmentUserId: id,
        date,
        from,
        to,
        email: 'ada@example.com',
        phoneNumber: '+1 555 010 0009',
        staticQuestionAnswers:
          id === local
            ? []
            : [{ question: 'Order number', questionType: 'text', isRequired: true, answer: 'A-7' }],
      },
      { 'Idempotency-Key': randomUUID() },
    );
  const [first = '', second = ''] = calendars;
  await book(local, '09:00', '10:00');
  const cancelled = await book(local, '10:00', '11:00');
  await call('POST', `/v1/appointments/bookings/${cancelled.bookingId}/cancel`, { reason: 'ill' });
  await book(first, '09:00', '10:00');
  const moved = await book(first, '11:00', '12:00');
  await call('POST', `/v1/appointments/bookings/${moved.bookingId}/reschedule`, {
    date,
    from: '15:00',
    to: '16:00',
  });
  const { googleUrl } = demo.sandbox;
  await changeByHand(
    call,
    googleUrl,
    await book(first, '17:00', '18:00'),
    await book(first, '19:00', '20:00'),
  );
  // undone: the calendar refuses; held: it never answers
  await control(googleUrl, 'faults', {
    on: 'events.insert',
    times: 1,
    does: 'refuse',
    status: 403,
    reason: 'forbidden',
  });
  await book(second, '09:00', '10:00').catch((error) => console.log(String(error)));
  await call('GET', `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${local}`);
  await control(googleUrl, 'faults', { on: 'events.insert', does: 'hang' });
  book(second, '12:00', '13:00').catch(() => {});
  await until(async () => {
    const { items } = await call<{ items: unknown[] }>('GET', '/v1/appointments/bookings?status=held');
    return items.length > 0;
  });
}

interface Booked {
  bookingId: string;
  calendarEventId: string;
}

/** In the calendar itself: one event an hour later, one removed; resolves when the gateway has noticed both. */
async function changeByHand(call: Call, googleUrl: string, moved: Booked, removed: Booked): Promise<void> {
  const google = googleControl(googleUrl);
  const calendarId = 'asha@demo.example';
  const plus = (at: string) => Temporal.Instant.from(at).add({ hours: 1 }).toString();
  const event = (await google.events(calendarId)).find(({ id }) => id === moved.calendarEventId);
  const start = { dateTime: plus(event?.start?.dateTime ?? '') };
  const end = { dateTime: plus(event?.end?.dateTime ?? '') };
  await google.changeEvent(calendarId, moved.calendarEventId, { start, end });
  await google.removeEvent(calendarId, removed.calendarEventId);
  await until(async () => {
    const { items } = await call<{ items: { calendarState: { state: string } }[] }>(
      'GET',
      '/v1/appointments/bookings',
    );
    return items.filter(({ calendarState }) => calendarState.state !== 'in_step').length >= 2;
  });
}

export async function fillAccount(call: Call): Promise<void> {
  const scopes = ['templates:read'];
  const revoked = await call<{ _id: string }>('POST', '/v1/keys', { name: 'Revoked', scopes });
  await call('DELETE', `/v1/keys/${revoked._id}`);
  const rotated = await call<{ _id: string }>('POST', '/v1/keys', { name: 'Rotated', scopes });
  await call('POST', `/v1/keys/${rotated._id}/rotate`);
  const endpoints = '/v1/webhooks/endpoints';
  const { items } = await call<{ items: { url: string }[] }>('GET', endpoints);
  const url = items[0]?.url ?? '';
  const paused = await call<Item>('POST', endpoints, { url: `${url}-paused`, events: ['messages.status'] });
  await call('PATCH', `${endpoints}/${paused._id}`, { status: 'paused' });
  const gone = await call<Item>('POST', endpoints, { url: `${url}-gone`, events: ['messages.status'] });
  await control(new URL(url).origin, 'faults', {
    on: `${new URL(url).pathname.split('/').at(-1)}-gone`,
    does: 'answer',
    status: 410,
  });
  await call('POST', `${endpoints}/${gone._id}/test`);
  const turned = await call<Item>('POST', endpoints, { url: `${url}-turned` });
  await call('POST', `${endpoints}/${turned._id}/rotate-secret`);
}

export async function replayAll(call: Call): Promise<void> {
  const { items } = await call<{ items: Item[] }>('GET', '/v1/webhooks/endpoints');
  const [from, to] = [Date.now() - 3_600_000, Date.now()].map((ms) => new Date(ms).toISOString());
  await call('POST', `/v1/webhooks/endpoints/${items[0]?._id}/replay`, { from, to });
}
