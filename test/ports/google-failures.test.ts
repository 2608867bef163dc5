// Failures of Google Calendar: late or missing meetings, rate limits, errors, and inserts that succeed after a timeout.
import { describe, expect, test } from 'vitest';
import { googleCalendar } from '../../src/adapters/google/calendar.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { at, day, failure, limits } from './calendar-under-test.ts';
import { client, connectedGoogle, fallbackLink } from './google-provider.ts';

const google = connectedGoogle();

describe('meetings', () => {
  test('are created with the event, and kept when it moves', async () => {
    const event = google.booking();
    const made = await google.insert(event);
    expect(made.meeting).toMatchObject({
      status: 'ready',
      link: expect.stringMatching(/^https:\/\/meet\.google\.com\//),
    });
    const time = { start: event.start + 900_000, end: event.end + 900_000 };
    const change = {
      calendarId: google.calendarId,
      eventId: event.eventId,
      timeZone: event.timeZone,
      time,
      notify: false,
    };
    expect((await google.calendar.updateEvent(google.credential, change, limits)).meeting).toEqual(
      made.meeting,
    );
  });

  test('may be pending first and ready later', async () => {
    await google.control.set({ conference: { kind: 'pending', readsUntilSuccess: 2 } });
    const event = google.booking();
    expect((await google.insert(event)).meeting).toEqual({ status: 'pending' });
    const reads = async () =>
      (await google.calendar.getEvent(google.credential, event, limits))?.meeting.status;
    expect([await reads(), await reads()]).toEqual(['pending', 'ready']);
  });

  test('that fail or stay pending are replaced by the fallback link for good', async () => {
    for (const conference of [{ kind: 'failure' }, { kind: 'pending', readsUntilSuccess: null }] as const) {
      await google.control.set({ conference });
      const event = google.booking();
      const status = conference.kind === 'failure' ? 'failed' : 'pending';
      expect((await google.insert(event)).meeting).toEqual({ status });
      const ref = { calendarId: google.calendarId, eventId: event.eventId, link: fallbackLink, notify: true };
      await google.calendar.replaceMeeting(google.credential, ref, limits);
      await google.control.finishMeetings();
      const after = await google.calendar.getEvent(google.credential, event, limits);
      expect(after?.meeting).toEqual({ status: 'ready', link: fallbackLink });
    }
    const shown = (await google.control.liveEvents(google.calendarId))[0];
    expect(shown).toMatchObject({ location: fallbackLink });
    expect(shown).not.toHaveProperty('conferenceData');
  });

  test('that the calendar does not support are replaced in the same call', async () => {
    await google.control.set({ conference: { kind: 'refused' } });
    expect((await google.insert(google.booking())).meeting).toEqual({ status: 'ready', link: fallbackLink });
    expect(await google.statuses('events.insert')).toEqual([400, 200]);
  });
});

describe('texts', () => {
  test('are cut to what Google takes', async () => {
    const description = `${'x'.repeat(8190)}\u{1f600}${'y'.repeat(20_000)}`;
    const made = await google.insert(google.booking({ description }));
    const shown = async () => (await google.control.liveEvents(google.calendarId))[0]?.description;
    expect(await shown()).toBe(`${'x'.repeat(8190)}…`);
    const change = { calendarId: google.calendarId, eventId: made.eventId, notify: false };
    const changed = 'z'.repeat(8193);
    await google.calendar.updateEvent(google.credential, { ...change, description: changed }, limits);
    expect(await shown()).toBe(`${'z'.repeat(8191)}…`);
    await google.calendar.updateEvent(
      google.credential,
      { ...change, description: 'z'.repeat(8192) },
      limits,
    );
    expect(await shown()).toBe('z'.repeat(8192));
  });
});

describe('rate limits and errors', () => {
  test.each(['rateLimitExceeded', 'userRateLimitExceeded'])(
    'retries a 403 %s with increasing delays and creates one event',
    async (reason) => {
      await google.control.addFault({ does: 'refuse', on: 'events.insert', reason, times: 2 });
      await google.insert(google.booking());
      expect(await google.statuses('events.insert')).toEqual([403, 403, 200]);
      expect(google.provider.waits).toHaveLength(2);
      expect(google.provider.waits[0]).toBeLessThanOrEqual(200);
      expect(google.provider.waits[1]).toBeGreaterThanOrEqual(200);
    },
  );

  const tooMany = {
    does: 'refuse',
    on: 'freebusy.query',
    reason: 'rateLimitExceeded',
    status: 429,
  } as const;

  test('retries a 429 after Retry-After, or gives up if that is after the deadline', async () => {
    await google.control.addFault({ ...tooMany, retryAfterSeconds: 3, times: 1 });
    expect(await google.busy()).toEqual([]);
    expect(google.provider.waits).toEqual([3000]);
    await google.control.addFault({ ...tooMany, retryAfterSeconds: 60, times: 1 });
    expect(await failure(google.busy())).toMatchObject({ outcome: 'not_sent', retryAfterSeconds: 60 });
  });

  test('understands a Retry-After with a date, and waits a day at most', async () => {
    const waitAfter = async (retryAfter: string) => {
      await google.control.addFault({ ...tooMany, retryAfter, times: 1 });
      return Number((await failure(google.busy())).retryAfterSeconds);
    };
    const wait = await waitAfter(new Date(Date.now() + 120_000).toUTCString());
    expect(Math.abs(wait - 120)).toBeLessThan(10);
    expect(await waitAfter('9'.repeat(40))).toBe(86_400);
  });

  test('creates one event when the insert succeeds but returns 500', async () => {
    const fault = {
      does: 'refuse',
      on: 'events.insert',
      reason: 'backendError',
      when: 'after',
      times: 1,
    } as const;
    await google.control.addFault(fault);
    expect(await google.insert(google.booking())).toMatchObject({ status: 'live' });
    expect(await google.provider.liveEventIds(google.calendarId)).toHaveLength(1);
    expect(await google.statuses('events.insert')).toEqual([500, 409]);
  });

  test('stays unknown after an unknown attempt, whatever later attempts return', async () => {
    await google.control.addFault({ does: 'reset', on: 'events.insert', times: 1 });
    await google.control.addFault({ does: 'refuse', on: 'events.insert', reason: 'rateLimitExceeded' });
    expect(await failure(google.insert(google.booking()))).toMatchObject({
      outcome: 'unknown',
      code: 'rateLimitExceeded',
    });
  });

  test("does not retry a rejection, and returns Google's message", async () => {
    const error = await failure(google.insert(google.booking({ end: 0 })));
    expect(error).toMatchObject({ outcome: 'rejected', code: 'timeRangeEmpty', status: 400 });
    expect(error.message).toBe('The specified time range is empty.');
    expect(await google.statuses('events.insert')).toEqual([400]);
  });

  test('retries after a response that is not JSON, and finds the event', async () => {
    await google.control.addFault({ does: 'garble', on: 'events.insert', times: 1 });
    expect(await google.insert(google.booking())).toMatchObject({ status: 'live' });
    expect(await google.statuses('events.insert')).toEqual([null, 409]);
  });

  test.each(['', '{}', '{"kind":"calendar#event"}'])(
    'never takes a 200 with the body "%s" for an answer about the event',
    async (body) => {
      const event = google.booking();
      await google.control.addFault({ does: 'garble', on: 'events.insert', times: 1, body });
      await google.control.addFault({ does: 'garble', on: 'events.get', times: 1, body });
      expect(await google.insert(event)).toMatchObject({ status: 'live', bookingId: event.bookingId });
      expect((await google.control.liveEvents(google.calendarId)).map(({ id }) => id)).toEqual([
        event.eventId,
      ]);
      await google.control.addFault({ does: 'garble', on: 'events.patch', times: 1, body });
      const change = { calendarId: google.calendarId, eventId: event.eventId ?? '', notify: false };
      const time = { start: event.start + 60_000, end: event.end + 60_000 };
      expect(await google.calendar.updateEvent(google.credential, { ...change, time }, limits)).toMatchObject(
        time,
      );
    },
  );

  test('never reads a free-busy response with an error inside as free time', async () => {
    await google.control.addFault({ does: 'inner_errors', on: 'freebusy.query', reason: 'internalError' });
    expect(await failure(google.busy())).toMatchObject({ outcome: 'unknown', code: 'free_busy_error' });
    await google.control.clearFaults();
    await google.control.addFault({
      does: 'inner_errors',
      on: 'freebusy.query',
      reason: 'internalError',
      times: 1,
    });
    expect(await google.busy()).toEqual([]);
  });

  test('reports an unreachable server as not sent', async () => {
    const outgoing = openOutgoing({ connectionsPerOrigin: 1, keepAliveMs: 1_000 });
    const nowhere = googleCalendar({
      clientId: client.id,
      clientSecret: client.secret,
      outgoing,
      apiUrl: 'http://127.0.0.1:9',
      tokenUrl: `${google.provider.url}/token`,
    });
    const error = await failure(
      nowhere.insertEvent(google.credential, google.booking(), { timeoutMs: 1_500 }),
    );
    expect(error).toMatchObject({ outcome: 'not_sent', code: 'refused' });
    await outgoing.close();
  });

  test('reports a hanging insert as unknown, and removes it for good even if it succeeds later', async () => {
    await google.control.addFault({ does: 'land_late', on: 'events.insert', times: 1 });
    const event = google.booking();
    await google.busy();
    const error = await failure(google.calendar.insertEvent(google.credential, event, { timeoutMs: 1_000 }));
    expect(error.outcome).toBe('unknown');
    expect(await google.calendar.removeForGood(google.credential, event, limits)).toEqual({ certain: true });
    expect(await google.control.land()).toBe(1);
    await expect.poll(() => google.statuses('events.insert')).toEqual([409, 200]);
    expect(await google.provider.liveEventIds(google.calendarId)).toEqual([]);
    expect(await google.control.mails()).toEqual([]);
  });

  test('leaves no event and no busy time after an interrupted removal, rejects an insert, and finishes the removal later', async () => {
    await google.control.addFault({ does: 'refuse', on: 'events.delete', reason: 'backendError' });
    const event = google.booking();
    expect((await failure(google.calendar.removeForGood(google.credential, event, limits))).outcome).toBe(
      'unknown',
    );
    expect(await google.provider.liveEventIds(google.calendarId)).toEqual([event.eventId]);
    const seen = await google.calendar.getEvent(google.credential, event, limits);
    expect(seen).toMatchObject({ status: 'deleted', bookingId: event.bookingId });
    expect(await failure(google.insert(event))).toMatchObject({ outcome: 'rejected', code: 'event_deleted' });
    expect(await google.busy()).toEqual([]);
    await google.control.clearFaults();
    await google.calendar.removeForGood(google.credential, event, limits);
    expect(await google.provider.liveEventIds(google.calendarId)).toEqual([]);
  });

  test('notifies guests of the removal if the insert had invited them', async () => {
    const event = google.booking();
    await google.insert(event);
    await google.calendar.removeForGood(google.credential, event, limits);
    const mails = (await google.control.mails()).map((mail) => `${mail.kind} ${mail.to}`);
    expect(mails).toEqual(['invitation ravi@example.com', 'cancellation ravi@example.com']);
  });

  test('returns a full reading for an expired sync token', async () => {
    await google.insert(google.booking());
    const query = { calendarId: google.calendarId, since: day.from };
    const first = await google.calendar.changedEvents(google.credential, { ...query, cursor: null }, limits);
    await google.control.expireSyncTokens();
    const again = await google.calendar.changedEvents(
      google.credential,
      { ...query, cursor: first.cursor },
      limits,
    );
    expect(again).toMatchObject({ complete: true, events: first.events });
  });

  test('reads an all-day event in the zone of the schedule where the time zone data lack that of the calendar', async () => {
    const { eventId, bookingId } = google.booking();
    const item = { id: eventId, status: 'confirmed', extendedProperties: { private: { bookingId } } };
    const items = [{ ...item, start: { date: '2026-06-12' }, end: { date: '2026-06-13' } }];
    const body = JSON.stringify({ timeZone: 'Europe/Founded_Tomorrow', items, nextSyncToken: 'next' });
    await google.control.addFault({ does: 'garble', on: 'events.list', body });
    const query = { calendarId: google.calendarId, cursor: null, since: day.from, timeZone: 'Asia/Kolkata' };
    const { events } = await google.calendar.changedEvents(google.credential, query, limits);
    expect(events).toMatchObject([{ eventId, allDay: true, start: at('2026-06-11T18:30:00Z') }]);
  });

  test('moves an event back to a time after it was made all-day externally', async () => {
    const event = google.booking();
    await google.insert(event);
    const day = { start: { date: '2026-06-12' }, end: { date: '2026-06-13' } };
    await google.control.changeEvent(google.calendarId, event.eventId, day);
    const seen = await google.calendar.getEvent(google.credential, event, limits);
    expect(seen?.start).toBe(at('2026-06-11T18:30:00Z'));
    const change = {
      calendarId: google.calendarId,
      eventId: event.eventId,
      timeZone: event.timeZone,
      time: { start: event.start, end: event.end },
      notify: false,
    };
    expect(await google.calendar.updateEvent(google.credential, change, limits)).toMatchObject({
      start: event.start,
      end: event.end,
    });
  });
});
