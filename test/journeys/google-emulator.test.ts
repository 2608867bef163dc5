// Another implementation of Google's API, used by settings only: consent with PKCE, refresh, busy times, revocation, and missing features.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createEmulator } from '@emulators/core';
import { getGoogleStore, googlePlugin, seedFromConfig } from '@emulators/google';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bookingOf, comingMonday, plainSchedule } from '../harness/appointments-fixture.ts';
import { type Gateway, googleClient, startGateway } from '../harness/gateway.ts';

const base = '/v1/appointments';
const person = { email: 'ada@clinic.example', name: 'Ada Okafor' };
const date = comingMonday();
const emulator = createEmulator(googlePlugin, { baseUrl: 'http://127.0.0.1' });
const store = getGoogleStore(emulator.store);
let proxy: Server;
let gateway: Gateway;
let staffId: string;

/** Serves the emulator, which uses Fetch API requests and responses, over HTTP. */
async function listen(): Promise<string> {
  proxy = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = 'GET', url, headers } = incoming;
    const body = method === 'GET' || method === 'HEAD' ? {} : { body: Buffer.concat(chunks) };
    const request = new Request(`http://127.0.0.1${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...body,
    });
    const answer = await emulator.app.fetch(request);
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  const url = await listen();
  gateway = await startGateway({
    settings: {
      GOOGLE_API_URL: url,
      GOOGLE_AUTH_URL: `${url}/o/oauth2/v2/auth`,
      GOOGLE_TOKEN_URL: `${url}/oauth2/token`,
      GOOGLE_REVOKE_URL: `${url}/oauth2/revoke`,
    },
  });
  const redirect = `${gateway.url}/callbacks/calendar`;
  seedFromConfig(emulator.store, url, {
    users: [person],
    oauth_clients: [
      { client_id: googleClient.id, client_secret: googleClient.secret, redirect_uris: [redirect] },
    ],
    calendars: [{ id: person.email, summary: person.name, primary: true, user_email: person.email }],
  });
  const { _id } = await must<{ _id: string }>('POST', `${base}/users`, { name: person.name });
  staffId = _id;
  await must('PUT', `${base}/users/${staffId}/schedule`, plainSchedule);
});
afterAll(async () => {
  await gateway?.close();
  proxy?.closeAllConnections();
  proxy?.close();
});

async function must<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await gateway.call<T>(method, path, { body });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body.data;
}
const status = () => must(`GET`, `${base}/ext-calendar/status?appointmentUserId=${staffId}`);
const slots = async () =>
  (
    await must<{ slots: { from: string }[] }>(
      'GET',
      `${base}/available-slots?appointmentUserId=${staffId}&date=${date}`,
    )
  ).slots.map(({ from }) => from);

/** Simulates a person: opens the consent page, chooses an account, and is redirected back. */
async function consent(): Promise<Response> {
  const query = `appointmentUserId=${staffId}`;
  const { authUrl } = await must<{ authUrl: string }>('GET', `${base}/ext-calendar/auth-url?${query}`);
  const page = await (await fetch(authUrl)).text();
  const fields = [...page.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    value.replaceAll('&amp;', '&'),
  ]);
  const action = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', authUrl);
  const body = new URLSearchParams(fields);
  const answer = await fetch(action, { method: 'POST', body, redirect: 'manual' });
  return fetch(answer.headers.get('location') ?? '');
}

test('a person connects a calendar on its consent page, which checks PKCE', async () => {
  expect((await consent()).status).toBe(200);
  expect(await status()).toMatchObject({
    ...{ connected: true, provider: 'google', calendarId: 'primary', error: null },
    accountEmail: person.email,
  });
});

test('busy times there block slots immediately', async () => {
  expect(await slots()).toContain('10:00');
  seedFromConfig(emulator.store, '', {
    calendar_events: [
      {
        ...{ calendar_id: person.email, user_email: person.email, summary: 'Dentist' },
        ...{ start_date_time: `${date}T10:00:00.000Z`, end_date_time: `${date}T11:00:00.000Z` },
      },
    ],
  });
  expect(await slots()).toEqual(['09:00', '09:30', '11:00', '11:30']);
});

test('a booking is rejected and leaves no event, because the emulator does not keep given event ids', async () => {
  const before = store.calendarEvents.all().length;
  const answer = await gateway.call('POST', `${base}/book`, {
    body: bookingOf(staffId, date, '09:00', '09:30'),
    headers: { 'Idempotency-Key': randomUUID() },
  });
  expect([answer.status, answer.body.code]).toEqual([502, 'provider_rejected']);
  expect(answer.text).toContain('did not use the requested event id');
  expect(store.calendarEvents.all()).toHaveLength(before);
  expect(await slots()).toContain('09:00');
});

test('a revoked authorization disconnects the calendar immediately', async () => {
  await must('DELETE', `${base}/users/${staffId}/ext-calendar`);
  expect(await status()).toMatchObject({ connected: false });
  await consent();
  const users = store.users.all();
  for (const user of users) store.users.delete(user.id);
  emulator.tokenMap.clear();
  expect(await status()).toMatchObject({ connected: false, error: expect.stringMatching(/[Rr]econnect/) });
  const path = `${base}/available-slots?appointmentUserId=${staffId}&date=${date}`;
  expect(await gateway.call('GET', path)).toMatchObject({
    status: 409,
    body: { code: 'calendar_not_connected' },
  });
});
