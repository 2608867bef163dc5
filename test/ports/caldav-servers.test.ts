// Differences between CalDAV servers: discovery, ETags, sync tokens, incomplete and invalid responses.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { caldavCalendar } from '../../src/adapters/caldav/calendar.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import type { CalendarCredential } from '../../src/ports/calendar.ts';
import { isInstalled, type Passing } from '../harness/caldav-server.ts';
import { type CaldavProvider, object, openCaldav } from './caldav-provider.ts';
import { uncertainTimesSuite } from './caldav-uncertain-times.suite.ts';
import {
  at,
  bookingEvent,
  day,
  eleven,
  failure,
  halfPast,
  limits,
  noon,
  ten,
} from './calendar-under-test.ts';

if (await isInstalled('radicale')) describe('a server', servers);
else test('servers NOT TESTED: radicale is not installed here', () => expect(servers).toBeTypeOf('function'));

function servers(): void {
  let provider: CaldavProvider;
  beforeAll(async () => {
    provider = await openCaldav('radicale');
  });
  afterAll(() => provider.close());
  afterEach(() => {
    provider.server.proxy.change = null;
  });

  const change = (act: NonNullable<CaldavProvider['server']['proxy']['change']>) => {
    provider.server.proxy.change = act;
  };
  const connect = async (more: { url?: string; calendarUrl?: string; password?: string } = {}) => {
    const { username, password, calendarPath } = await provider.account();
    const given = { url: provider.server.url, username, password, timeZone: 'UTC', ...more };
    return {
      calendarPath,
      connected: provider.calendar.password?.connect(given, limits) ?? Promise.reject(),
    };
  };
  const busy = (credential: CalendarCredential, calendarId: string) =>
    provider.calendar.busyTimes(credential, { calendarIds: [calendarId], ...day }, limits);
  const event = (calendarId: string) => bookingEvent(provider.calendar, calendarId);

  describe('discovery', () => {
    test('finds calendars from the root, the principal, the calendar, or the well-known address', async () => {
      const { username, password, calendarPath } = await provider.account();
      const home = `/${encodeURIComponent(username)}/`;
      const connectBy = async (path: string) => {
        const given = { url: `${provider.server.url}${path}`, username, password };
        return (await provider.calendar.password?.connect(given, limits))?.calendarId;
      };
      const ours = `${provider.server.url}${calendarPath}`;
      expect(await connectBy('/')).toContain(home);
      expect(await connectBy(home)).toContain(home);
      expect(await connectBy(calendarPath)).toBe(ours);
      change((method, path, response) => {
        if (path === '/nothing/') return { ...response, status: 405, body: '' };
        if (path !== '/.well-known/caldav' || method !== 'PROPFIND') return response;
        return { status: 302, headers: { location: home }, body: '' };
      });
      expect(await connectBy('/nothing/')).toContain(home);
    });

    test('gives up after a few redirects', async () => {
      change((_method, _path, response) => ({
        ...response,
        status: 301,
        headers: { location: '/round/' },
        body: '',
      }));
      const { connected } = await connect();
      expect(await failure(connected)).toMatchObject({ outcome: 'rejected', code: 'address_unusable' });
    });

    test('rejects an address without CalDAV', async () => {
      change(() => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' }));
      const { connected } = await connect();
      expect(await failure(connected)).toMatchObject({ outcome: 'rejected', code: 'address_unusable' });
    });

    test('rejects an account without a writable calendar', async () => {
      const readOnly = (_method: string, _path: string, response: Passing) => ({
        ...response,
        body: response.body.replace(/<privilege><(all|write|write-content) \/><\/privilege>/g, ''),
      });
      change(readOnly);
      expect(await failure((await connect()).connected)).toMatchObject({ code: 'calendar_not_found' });
      change((method, _path, response) =>
        method === 'PUT' ? { ...response, status: 403, body: '' } : response,
      );
      expect(await failure((await connect()).connected)).toMatchObject({ code: 'calendar_read_only' });
    });

    test('never shows the password in an error', async () => {
      const error = await failure((await connect({ password: 'v3ry-secret' })).connected);
      expect(error).toMatchObject({ outcome: 'rejected', code: 'invalid_grant' });
      const basic = Buffer.from('v3ry-secret').toString('base64').slice(2, 12);
      expect(`${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toMatch(`v3ry-secret|${basic}`);
    });

    test('rejects an address that the guard does not allow', async () => {
      const outgoing = openOutgoing({
        connectionsPerOrigin: null,
        keepAliveMs: 1_000,
        guard: { allowCidrs: [], httpsOnly: true },
      });
      const { username, password } = await provider.account();
      const given = { url: provider.server.url, username, password };
      const connected = caldavCalendar({ outgoing }).password?.connect(given, limits) ?? Promise.reject();
      expect(await failure(connected)).toMatchObject({ outcome: 'rejected', code: 'address_unusable' });
      await outgoing.close();
    });
  });

  test('gets no request for a calendar of another origin', async () => {
    const { credential } = await provider.connect();
    provider.server.proxy.requests.length = 0;
    const elsewhere = provider.server.url.replace('127.0.0.1', 'localhost');
    for (const id of [`${elsewhere}/x/`, '//elsewhere.example/', 'mailto:x', '']) {
      expect(await failure(busy(credential, id))).toMatchObject({ code: 'calendar_not_found' });
    }
    expect(provider.server.proxy.requests).toEqual([]);
  });

  test('may omit event data from queries, and return weak or no ETags', async () => {
    const { credential, calendarId } = await provider.connect();
    const made = event(calendarId);
    const weak = (tag: unknown) => (typeof tag === 'string' ? `W/${tag}` : undefined);
    change((method, _path, response, requestBody) => {
      const etag = method === 'PUT' ? undefined : weak(response.headers.etag);
      const hidden = requestBody.includes('calendar-query')
        ? response.body.replace(/<C:calendar-data>[^<]*<\/C:calendar-data>/g, '')
        : response.body;
      return { ...response, headers: { ...response.headers, etag }, body: hidden };
    });
    const { version } = await provider.calendar.insertEvent(credential, made, limits);
    expect(version).toMatch(/^"/);
    const moved = { ...made, time: { start: eleven, end: noon }, version: version ?? 'none', notify: false };
    await provider.calendar.updateEvent(credential, moved, limits);
    expect(await busy(credential, calendarId)).toEqual([{ start: eleven, end: noon }]);
  });

  test('that returns an incomplete list is an error, not free time', async () => {
    const { credential, calendarId } = await provider.connect();
    const more =
      '<response><href>/</href><status>HTTP/1.1 507 Insufficient Storage</status></response></multistatus>';
    change((_method, _path, response) => {
      const body = response.body.replace(/(?:<\/multistatus>|\/>)\s*$/, (end) =>
        end.startsWith('/>') ? `>${more}` : more,
      );
      return { ...response, body };
    });
    expect(await failure(busy(credential, calendarId))).toMatchObject({ code: 'too_many_events' });
  });

  test('that returns an invalid response or an error is never free time', async () => {
    const { credential, calendarId } = await provider.connect();
    for (const status of [200, 207, 302, 500, 503]) {
      change(() => ({ status, headers: {}, body: '<multistatus xmlns="DAV:"><response>' }));
      expect((await failure(busy(credential, calendarId))).outcome).toBe('unknown');
    }
    change(() => ({ status: 429, headers: { 'retry-after': '3' }, body: '' }));
    const limited = { outcome: 'not_sent', retryAfterSeconds: 3 };
    expect(await failure(busy(credential, calendarId))).toMatchObject(limited);
    const date = new Date(Date.now() + 120_000).toUTCString();
    change(() => ({ status: 503, headers: { 'retry-after': date }, body: '' }));
    const { retryAfterSeconds } = await failure(busy(credential, calendarId));
    expect(Math.abs(Number(retryAfterSeconds) - 120)).toBeLessThan(10);
  });

  describe('with uncertain times:', () => uncertainTimesSuite('radicale', () => provider));

  describe("with a booking's event:", () => {
    test('keeps an external change made between reading and writing', async () => {
      const { credential, calendarId } = await provider.connect();
      const made = event(calendarId);
      await provider.calendar.insertEvent(credential, made, limits);
      let externalChanges = 0;
      change(async (method, _path, response) => {
        // change the event after the adapter has read it
        if (method !== 'GET' || externalChanges > 0) return response;
        externalChanges += 1;
        const text = response.body.replace(/^SUMMARY.*$/m, 'SUMMARY:By hand');
        await provider.putExternally(calendarId, made.eventId, text);
        return response;
      });
      const moved = {
        ...made,
        summary: undefined,
        description: undefined,
        time: { start: eleven, end: noon },
      };
      expect(await provider.calendar.updateEvent(credential, moved, limits)).toMatchObject({ start: eleven });
      expect(externalChanges).toBe(1);
      const path = `${new URL(calendarId).pathname}${made.eventId}.ics`;
      const { username, password } = JSON.parse(credential) as { username: string; password: string };
      const stored = await provider.server.direct({ username, password }, 'GET', path);
      expect(stored.text).toContain('DTSTART:20260610T110000Z');
      expect(stored.text).toContain('SUMMARY:By hand');
    });

    test('reports an external change to an all-day event, and a cancellation', async () => {
      const { credential, calendarId } = await provider.connect();
      const made = event(calendarId);
      const lines = [`UID:${made.eventId}`, 'DTSTART;VALUE=DATE:20260610'];
      await provider.putExternally(calendarId, made.eventId, object(lines));
      const get = () => provider.calendar.getEvent(credential, { ...made, timeZone: 'Asia/Kolkata' }, limits);
      const start = at('2026-06-09T18:30:00Z');
      expect(await get()).toMatchObject({ bookingId: made.bookingId, start, end: start + 86_400_000 });
      const time = { start: ten, end: halfPast };
      await provider.calendar.updateEvent(credential, { ...made, time }, limits);
      expect(await get()).toMatchObject(time);
      await provider.putExternally(calendarId, made.eventId, object([...lines, 'STATUS:CANCELLED']));
      expect(await get()).toMatchObject({ status: 'deleted' });
      const update = provider.calendar.updateEvent(credential, { ...made, time }, limits);
      expect(await failure(update)).toMatchObject({ code: 'event_deleted' });
    });

    test('reports no time for an unknown zone, and can still move the event', async () => {
      const { credential, calendarId } = await provider.connect();
      const made = event(calendarId);
      const lines = [`UID:${made.eventId}`, 'DTSTART;TZID=Nowhere:20260610T090000', 'DURATION:PT1H'];
      await provider.putExternally(calendarId, made.eventId, object(lines));
      const get = () => provider.calendar.getEvent(credential, made, limits);
      expect(await get()).toMatchObject({
        status: 'live',
        bookingId: made.bookingId,
        start: null,
        end: null,
      });
      const time = { start: eleven, end: noon };
      await provider.calendar.updateEvent(credential, { ...made, time, notify: false }, limits);
      expect(await get()).toMatchObject(time);
    });

    test("invites guests only if the server reports the owner's address", async () => {
      const address = '<C:calendar-user-address-set><href>mailto:Ada@Clinic.example</href><href>';
      change((_method, _path, response) => ({
        ...response,
        body: response.body.replace('<C:calendar-user-address-set><href>', address),
      }));
      const { credential, calendarId } = await provider.connect();
      const written: string[] = [];
      change((method, _path, response, requestBody) => {
        if (method === 'PUT') written.push(requestBody.replace(/\r\n[ \t]/g, ''));
        return response;
      });
      const invited = await provider.calendar.insertEvent(credential, event(calendarId), limits);
      expect(written[0]).toContain('ORGANIZER:mailto:ada@clinic.example');
      expect(written[0]).toMatch(/ATTENDEE;CN=Ravi;PARTSTAT=NEEDS-ACTION;.*:mailto:ravi@example\.com/);
      const plain = await provider.connect();
      const alone = await provider.calendar.insertEvent(plain.credential, event(plain.calendarId), limits);
      expect([invited.guestsInvited, alone.guestsInvited]).toEqual([null, false]);
      expect(written[1]).toMatch(/BEGIN:VEVENT(?!.*(ATTENDEE|ORGANIZER))/s);
    });
  });

  describe('changes', () => {
    const changes = (credential: CalendarCredential, calendarId: string, cursor: string | null) =>
      provider.calendar.changedEvents(credential, { calendarId, cursor, since: day.from }, limits);

    test('are a full reading if the server no longer accepts the sync token', async () => {
      const { credential, calendarId } = await provider.connect();
      const made = event(calendarId);
      await provider.calendar.insertEvent(credential, made, limits);
      const { cursor } = await changes(credential, calendarId, null);
      await provider.moveExternally(calendarId, made.eventId, eleven, noon);
      for (const status of [403, 409, 500]) {
        change((_method, _path, response, requestBody) =>
          requestBody.includes('sync-collection') ? { ...response, status, body: '' } : response,
        );
        const again = await changes(credential, calendarId, cursor);
        expect(again).toMatchObject({ complete: true, events: [{ eventId: made.eventId, start: eleven }] });
      }
    });

    test('are found by ctag or by versions on servers without sync tokens', async () => {
      for (const hidden of [/<sync-token>[^<]*<\/sync-token>/g, /<(sync-token|CS:getctag)>[^<]*<\/\1>/g]) {
        change((_method, _path, response) => ({ ...response, body: response.body.replace(hidden, '') }));
        const { credential, calendarId } = await provider.connect();
        const [moved, removed] = [event(calendarId), event(calendarId)];
        for (const each of [moved, removed]) await provider.calendar.insertEvent(credential, each, limits);
        const first = await changes(credential, calendarId, null);
        expect([first.complete, first.events.length]).toEqual([true, 2]);
        expect((await changes(credential, calendarId, first.cursor)).events).toEqual([]);
        await provider.moveExternally(calendarId, moved.eventId, eleven, noon);
        await provider.deleteExternally(calendarId, removed.eventId);
        const next = await changes(credential, calendarId, first.cursor);
        const reported = Object.fromEntries(next.events.map(({ eventId, status }) => [eventId, status]));
        expect(reported).toEqual({ [moved.eventId]: 'live', [removed.eventId]: 'deleted' });
        expect((await changes(credential, calendarId, next.cursor)).events).toEqual([]);
      }
    });
  });
}
