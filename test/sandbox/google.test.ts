// The simulated Google's events: ids, changes, lists, meetings, exact errors, faults, and a restart.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { googleControl } from '../../sandbox/google/control-client.ts';
import { startGoogle } from '../../sandbox/google/server.ts';
import {
  client,
  events,
  type Reply,
  simulatedGoogle,
  staff,
  tenToHalfPast,
  time,
} from './simulated-google.ts';

const google = simulatedGoogle();

const meet = (requestId: string) => ({
  conferenceData: { createRequest: { requestId, conferenceSolutionKey: { type: 'hangoutsMeet' } } },
});

describe('events', () => {
  test('a chosen id is used up: 409 while its event exists and after it was deleted', async () => {
    const id = '0190a0b0c0d07000800000000000abcd';
    const made = await google.api('POST', events, { id, summary: 'Booking', ...tenToHalfPast });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ id, status: 'confirmed', iCalUID: `${id}@google.com` });
    expect(made.body.start).toEqual({ dateTime: '2026-03-10T10:00:00-04:00', timeZone: 'America/New_York' });
    const again = await google.api('POST', events, { id, ...tenToHalfPast });
    expect(again.status).toBe(409);
    expect(again.body.error.errors[0]).toEqual({
      domain: 'global',
      reason: 'duplicate',
      message: 'The requested identifier already exists.',
    });
    expect((await google.api('DELETE', `${events}/${id}`)).status).toBe(204);
    expect((await google.api('DELETE', `${events}/${id}`)).status).toBe(410);
    expect((await google.api('GET', `${events}/${id}`)).body.status).toBe('cancelled');
    expect((await google.api('PATCH', `${events}/${id}`, { summary: 'x' })).status).toBe(403);
    expect((await google.api('POST', events, { id, ...tenToHalfPast })).status).toBe(409);
    expect((await google.api('GET', `${events}/unknown0`)).status).toBe(404);
  });

  test.each([
    ['an id outside base32hex', { id: 'wxyz-1', ...tenToHalfPast }, 'Invalid resource id value.'],
    [
      'an end before the start',
      time('2026-03-10T15:00:00Z', '2026-03-10T14:00:00Z'),
      'The specified time range is empty.',
    ],
    ['no end', { start: { dateTime: '2026-03-10T15:00:00Z' } }, 'Missing end time.'],
    [
      'a recurring event without a zone',
      { ...tenToHalfPast, recurrence: ['RRULE:FREQ=DAILY'] },
      'Missing time zone definition for start time.',
    ],
    [
      'a time without offset and zone',
      time('2026-03-10T15:00:00', '2026-03-10T15:30:00'),
      'Missing time zone definition for start time.',
    ],
    [
      'a description of more than 8,192 characters',
      { ...tenToHalfPast, description: 'x'.repeat(8193) },
      'The event description is too long.',
    ],
  ])('rejects %s with 400', async (_, body, message) => {
    const response = await google.api('POST', events, body);
    expect(response).toMatchObject({ status: 400, body: { error: { code: 400, message } } });
  });

  test('silently drops extended properties with long names, and cuts long values', async () => {
    const values = { [`n${'x'.repeat(44)}`]: '1', long: 'v'.repeat(1025) };
    const made = await google.api('POST', events, {
      ...tenToHalfPast,
      extendedProperties: { private: values },
    });
    expect(made.body.extendedProperties).toEqual({ private: { long: 'v'.repeat(1024) } });
    const patch = { description: 'x'.repeat(8193) };
    expect((await google.api('PATCH', `${events}/${made.body.id}`, patch)).status).toBe(400);
  });

  test('a patch keeps other fields, merges extended properties, and respects If-Match', async () => {
    const made = await google.api('POST', events, {
      summary: 'Booking',
      ...tenToHalfPast,
      extendedProperties: { private: { bookingId: 'b1' } },
    });
    const path = `${events}/${made.body.id}`;
    const patched = await google.api(
      'PATCH',
      path,
      { extendedProperties: { private: { more: '1' } } },
      { 'if-match': made.body.etag },
    );
    expect(patched.body).toMatchObject({
      summary: 'Booking',
      extendedProperties: { private: { bookingId: 'b1', more: '1' } },
    });
    const late = await google.api('PATCH', path, { summary: 'late' }, { 'if-match': made.body.etag });
    expect(late.status).toBe(412);
    expect(late.body.error.errors[0].reason).toBe('conditionNotMet');
  });

  test('sends mails only with sendUpdates', async () => {
    const attendees = [{ email: 'guest@example.com' }];
    await google.api('POST', events, { ...tenToHalfPast, attendees });
    expect(await google.control.mails()).toEqual([]);
    const made = await google.api('POST', `${events}?sendUpdates=all`, { ...tenToHalfPast, attendees });
    await google.api('DELETE', `${events}/${made.body.id}?sendUpdates=all`);
    const mails = (await google.control.mails()).map(({ to, kind }) => `${kind} ${to}`);
    expect(mails).toEqual(['invitation guest@example.com', 'cancellation guest@example.com']);
    expect((await google.api('POST', `${events}?sendUpdates=true`, tenToHalfPast)).status).toBe(400);
    expect(await google.control.liveEvents(staff)).toHaveLength(1);
  });

  test('another account sees neither the calendar nor its events', async () => {
    await google.control.putAccount({ email: 'other@clinic.example' });
    expect((await google.api('GET', 'calendars/other@clinic.example/events')).status).toBe(404);
    expect(
      (await google.busy('2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z', 'other@clinic.example')).errors,
    ).toEqual([{ domain: 'global', reason: 'notFound' }]);
  });

  test('a sync token returns the changes since a list, until it expires', async () => {
    const first = await google.api('GET', events);
    await google.api('POST', events, { id: 'aaaaa1', ...tenToHalfPast });
    await google.api('DELETE', `${events}/aaaaa1`);
    const next = await google.api('GET', `${events}?syncToken=${first.body.nextSyncToken}`);
    expect(next.body.items).toMatchObject([{ id: 'aaaaa1', status: 'cancelled' }]);
    await google.control.expireSyncTokens();
    const expired = await google.api('GET', `${events}?syncToken=${next.body.nextSyncToken}`);
    expect(expired.status).toBe(410);
    expect(expired.body.error.errors[0].reason).toBe('fullSyncRequired');
    expect((await google.api('GET', `${events}?syncToken=x&timeMin=2026-01-01T00:00:00Z`)).status).toBe(400);
  });
});

describe('meetings', () => {
  const insert = (id: string, version = 1) =>
    google.api('POST', `${events}?conferenceDataVersion=${version}`, { id, ...tenToHalfPast, ...meet(id) });

  test('are created immediately, but not without conferenceDataVersion', async () => {
    const made = await insert('meet01');
    expect(made.body.hangoutLink).toMatch(/^https:\/\/meet\.google\.com\/[a-z]{3}-[a-z]{4}-[a-z]{3}$/);
    expect(made.body.conferenceData.entryPoints[0].uri).toBe(made.body.hangoutLink);
    expect((await insert('meet02', 0)).body).not.toHaveProperty('conferenceData');
    const out = await google.api('PATCH', `${events}/meet01?conferenceDataVersion=1`, {
      conferenceData: null,
    });
    expect(out.body).not.toHaveProperty('hangoutLink');
  });

  test('can be pending for a number of reads, or until the control API finishes them', async () => {
    await google.control.set({ conference: { kind: 'pending', readsUntilSuccess: 2 } });
    const status = (reply: Reply) => reply.body.conferenceData.createRequest.status.statusCode;
    expect(status(await insert('meet03'))).toBe('pending');
    expect(status(await google.api('GET', `${events}/meet03`))).toBe('pending');
    expect(status(await google.api('GET', `${events}/meet03`))).toBe('success');
    await insert('meet04');
    expect(await google.control.finishMeetings()).toBe(1);
    expect(status(await google.api('GET', `${events}/meet04`))).toBe('success');
  });

  test('can fail, and are rejected if the calendar does not allow them', async () => {
    await google.control.set({ conference: { kind: 'failure' } });
    const failed = await insert('meet05');
    expect(failed.body.conferenceData.createRequest.status.statusCode).toBe('failure');
    expect(failed.body).not.toHaveProperty('hangoutLink');
    await google.control.set({ conference: { kind: 'success' } });
    await google.control.putCalendar({ id: staff, owner: staff, conferenceTypes: [] });
    const refused = await insert('meet06');
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: 'Invalid conference type value.' } },
    });
    expect((await google.api('GET', `${events}/meet06`)).status).toBe(404);
  });
});

describe('faults', () => {
  test('affect the next calls of their kind, with the error envelope of the real API', async () => {
    await google.control.addFault({
      does: 'refuse',
      on: 'events.insert',
      reason: 'rateLimitExceeded',
      times: 2,
    });
    for (let call = 0; call < 2; call += 1) {
      expect(await google.api('POST', events, tenToHalfPast)).toEqual({
        status: 403,
        body: {
          error: {
            errors: [{ domain: 'usageLimits', reason: 'rateLimitExceeded', message: 'Rate Limit Exceeded' }],
            code: 403,
            message: 'Rate Limit Exceeded',
          },
        },
      });
    }
    expect((await google.api('POST', events, tenToHalfPast)).status).toBe(200);
    expect((await google.control.calls('events.insert')).map((call) => call.status)).toEqual([403, 403, 200]);
  });

  test('can follow after the call was carried out', async () => {
    await google.control.addFault({ does: 'reset', on: 'events.insert', when: 'after', times: 1 });
    await expect(google.api('POST', events, tenToHalfPast)).rejects.toThrow();
    await google.control.addFault({
      does: 'refuse',
      on: 'events.insert',
      reason: 'backendError',
      when: 'after',
      times: 1,
    });
    expect((await google.api('POST', events, tenToHalfPast)).status).toBe(500);
    expect(await google.control.liveEvents(staff)).toHaveLength(2);
  });

  test('can delay an insert until its caller has given up', async () => {
    await google.control.addFault({ does: 'land_late', on: 'events.insert', times: 1 });
    const inserts = async () => (await google.control.calls('events.insert')).length;
    const before = await inserts();
    const gone = new AbortController();
    const insert = fetch(`${google.url}/calendar/v3/${events}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${google.accessToken}` },
      body: JSON.stringify({ id: 'late1', ...tenToHalfPast }),
      signal: gone.signal,
    });
    const fails = expect(insert).rejects.toThrow();
    await expect.poll(inserts).toBe(before + 1);
    gone.abort();
    await fails;
    expect(await google.control.events(staff)).toEqual([]);
    expect(await google.control.land()).toBe(1);
    await expect.poll(() => google.control.liveEvents(staff)).toHaveLength(1);
  });

  test('can make free-busy return 200 with an error inside', async () => {
    await google.control.addFault({
      does: 'inner_errors',
      on: 'freebusy.query',
      reason: 'internalError',
      times: 1,
    });
    expect(await google.busy('2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z')).toEqual({
      busy: [],
      errors: [{ domain: 'global', reason: 'internalError' }],
    });
  });
});

test('a restart with the same folder keeps everything, including grants', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'google-'));
  const first = await startGoogle({ dir, clients: [client] });
  const before = googleControl(first.url);
  await before.putAccount({ email: staff, timeZone: 'Europe/Berlin' });
  const refreshToken = await before.issueRefreshToken({ account: staff, clientId: client.id });
  await before.addEvent(staff, { id: 'kept1', ...tenToHalfPast });
  await before.removeEvent(staff, 'kept1');
  await first.close();
  const second = await startGoogle({ dir });
  try {
    const after = googleControl(second.url);
    expect(await after.events(staff)).toMatchObject([{ id: 'kept1', status: 'cancelled' }]);
    expect((await after.changes()).map((change) => change.operation)).toEqual(['by_hand', 'by_hand']);
    const form = { client_id: client.id, client_secret: client.secret, refresh_token: refreshToken };
    const body = new URLSearchParams({ ...form, grant_type: 'refresh_token' });
    expect((await fetch(`${second.url}/token`, { method: 'POST', body })).status).toBe(200);
  } finally {
    await second.close();
    rmSync(dir, { recursive: true });
  }
});
