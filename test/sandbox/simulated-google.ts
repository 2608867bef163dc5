// Setup for tests of the simulated Google: one server with a client and an account, and calls to it.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type GoogleControl, googleControl } from '../../sandbox/google/control-client.ts';
import { startGoogle } from '../../sandbox/google/server.ts';
import type { RunningServer } from '../../sandbox/server.ts';

export const client = { id: 'gateway.apps.example', secret: 'GOCSPX-sandbox' };
export const staff = 'asha@clinic.example';

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: responses of an external API, read freely
  body: any;
}

export const events = 'calendars/primary/events';
export const time = (from: string, to: string) => ({ start: { dateTime: from }, end: { dateTime: to } });
export const tenToHalfPast = time('2026-03-10T14:00:00Z', '2026-03-10T14:30:00Z');

/** Starts the server for the tests of one file, and resets it before each test. */
export function simulatedGoogle() {
  let server: RunningServer;
  let control: GoogleControl;
  const google = {
    accessToken: '',
    get url() {
      return server.url;
    },
    get control() {
      return control;
    },
    async post(path: string, form: Record<string, string>): Promise<Reply> {
      const response = await fetch(server.url + path, { method: 'POST', body: new URLSearchParams(form) });
      return { status: response.status, body: await response.json() };
    },
    refresh(refreshToken: string): Promise<Reply> {
      const form = { client_id: client.id, client_secret: client.secret, refresh_token: refreshToken };
      return google.post('/token', { ...form, grant_type: 'refresh_token' });
    },
    async freshToken(refreshToken: string): Promise<string> {
      return (await google.refresh(refreshToken)).body.access_token;
    },
    async api(method: string, path: string, body?: unknown, headers = {}): Promise<Reply> {
      const authorization = `Bearer ${google.accessToken}`;
      const init: RequestInit = { method, headers: { authorization, ...headers } };
      if (body !== undefined) init.body = JSON.stringify(body);
      const response = await fetch(`${server.url}/calendar/v3/${path}`, init);
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    },
    async busy(from: string, to: string, calendarId = 'primary') {
      const question = { timeMin: from, timeMax: to, items: [{ id: calendarId }] };
      return (await google.api('POST', 'freeBusy', question)).body.calendars[calendarId];
    },
  };
  beforeAll(async () => {
    server = await startGoogle();
    control = googleControl(server.url);
  });
  beforeEach(async () => {
    await control.reset();
    await control.putClient(client);
    await control.putAccount({ email: staff, timeZone: 'America/New_York' });
    const refreshToken = await control.issueRefreshToken({ account: staff, clientId: client.id });
    google.accessToken = await google.freshToken(refreshToken);
  });
  afterAll(() => server.close());
  return google;
}
