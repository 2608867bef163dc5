// The calendar port's suite for the event of a booking. It runs on every adapter, against a server of its kind.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Calendar, CalendarCredential, CalendarEvent, NewEvent } from '../../src/ports/calendar.ts';
import {
  type CalendarUnderTest,
  day,
  eleven,
  eventIdFor,
  eventOf,
  failure,
  halfPast,
  limits,
  noon,
  ten,
} from './calendar-under-test.ts';

/** Insert, change, delete, external changes, and failures. */
export function calendarSuite(name: string, open: () => Promise<CalendarUnderTest>): void {
  describe(`calendar port: ${name}`, () => {
    let provider: CalendarUnderTest;
    let calendar: Calendar;
    let credential: CalendarCredential;
    let calendarId: string;

    beforeAll(async () => {
      provider = await open();
      calendar = provider.calendar;
    });
    afterAll(() => provider.close());
    beforeEach(async () => {
      ({ credential, calendarId } = await provider.connect());
    });

    const booking = (more: Partial<NewEvent> = {}) => eventOf(calendar, calendarId, more);
    const insert = (event: NewEvent) => calendar.insertEvent(credential, event, limits);
    const get = (eventId: string) => calendar.getEvent(credential, { calendarId, eventId }, limits);
    /** The event as a process finds it that does not know whether the insert succeeded. */
    const find = ({ eventId, bookingId }: NewEvent) => {
      const { eventIds } = calendar;
      if (eventIds.kind === 'assigned') return eventIds.find(credential, { calendarId, bookingId }, limits);
      return get(eventId ?? '');
    };
    const unknownId = () =>
      calendar.eventIds.kind === 'chosen' ? eventIdFor(calendar, randomUUID()) : randomUUID();
    const busy = () => calendar.busyTimes(credential, { calendarIds: [calendarId], ...day }, limits);
    const isGone = (event: CalendarEvent | null) => event === null || event.status === 'deleted';

    describe('a booking in the calendar', () => {
      test('is found by its id and as the event of its booking, with its times and link', async () => {
        const event = booking();
        const made = await insert(event);
        expect(made).toMatchObject({
          eventId: event.eventId ?? expect.any(String),
          bookingId: event.bookingId,
          status: 'live',
          start: ten,
          end: halfPast,
          meeting: { status: 'ready', link: 'https://meet.example/room-1' },
        });
        expect(await get(made.eventId)).toEqual(made);
        expect(await find(event)).toEqual(made);
      });

      test('has an id that the adapter derives from the booking and generation, or that the provider assigns', async () => {
        const bookingId = randomUUID();
        if (calendar.eventIds.kind === 'assigned') {
          expect((await insert(booking({ bookingId }))).eventId).not.toBe(bookingId);
          return;
        }
        const ids = [0, 1, 2].map((generation) => eventIdFor(calendar, bookingId, generation));
        expect(eventIdFor(calendar, bookingId)).toBe(ids[0]);
        expect(new Set([...ids, eventIdFor(calendar, randomUUID())]).size).toBe(4);
      });

      test('exists once after repeated and concurrent inserts', async () => {
        const event = booking();
        const made = await insert(event);
        expect(await insert(event)).toEqual(made);
        const rival = booking({ start: eleven, end: noon });
        const rivals = await Promise.all(Array.from({ length: 8 }, () => insert(rival)));
        const ids = new Set([made, ...rivals].map(({ eventId }) => eventId));
        expect(ids.size).toBe(2);
        expect((await provider.liveEventIds(calendarId)).toSorted()).toEqual([...ids].toSorted());
      });

      test('exists once after the response to its insert was lost', async () => {
        await provider.loseNextResponse();
        const event = booking();
        const made = await insert(event);
        expect(made).toMatchObject({ bookingId: event.bookingId, status: 'live' });
        expect(await provider.liveEventIds(calendarId)).toEqual([made.eventId]);
      });

      test('is never mistaken for the event of another booking', async () => {
        const event = booking();
        await insert(event);
        if (calendar.eventIds.kind === 'assigned') {
          expect(await find(booking())).toBeNull();
          return;
        }
        const error = await failure(insert({ ...event, bookingId: randomUUID() }));
        expect(error).toMatchObject({ outcome: 'rejected', code: 'event_id_taken' });
      });

      test('is rejected by a calendar that does not exist', async () => {
        const error = await failure(insert(booking({ calendarId: `${calendarId}-unknown` })));
        expect(error).toMatchObject({ outcome: 'rejected', code: 'calendar_not_found' });
      });

      test('is stored whatever characters guests write, and none of them begins another property', async () => {
        const odd =
          'a\r\nb\rSTATUS:CANCELLED\rDTSTART:20260610T230000Z\u000bSTATUS:CANCELLED\u000c\u0085\u2028\u2029\u0001\u001c\u007f\tc';
        const event = booking({
          summary: odd,
          description: odd,
          guests: [{ email: 'ravi@example.com', name: odd }],
        });
        const made = await insert(event);
        expect(made).toMatchObject({ status: 'live', bookingId: event.bookingId, start: ten, end: halfPast });
        expect(await get(made.eventId)).toEqual(made);
        expect(await busy()).toEqual([{ start: ten, end: halfPast }]);
        const change = {
          calendarId,
          eventId: made.eventId,
          time: { start: eleven, end: noon },
          notify: true,
        };
        expect(await calendar.updateEvent(credential, change, limits)).toMatchObject({
          start: eleven,
          end: noon,
        });
        expect(await busy()).toEqual([{ start: eleven, end: noon }]);
      });

      test('is null if the calendar never had it', async () => {
        expect(await get(unknownId())).toBeNull();
        expect(await find(booking())).toBeNull();
      });
    });

    describe('changing it', () => {
      test('moves it and keeps its link, however often it is repeated', async () => {
        const event = booking();
        const made = await insert(event);
        const change = {
          calendarId,
          eventId: made.eventId,
          timeZone: 'Asia/Kolkata',
          time: { start: eleven, end: noon },
          notify: true,
        };
        const moved = await calendar.updateEvent(credential, change, limits);
        expect(moved).toMatchObject({ start: eleven, end: noon, meeting: made.meeting });
        expect(moved).toMatchObject({ bookingId: event.bookingId });
        expect(await calendar.updateEvent(credential, change, limits)).toMatchObject({ start: eleven });
        expect(await busy()).toEqual([{ start: eleven, end: noon }]);
      });

      test('is rejected at an old version, for an unknown event and for a deleted one', async () => {
        const event = booking();
        const { eventId, version } = await insert(event);
        const change = { calendarId, eventId, summary: 'Changed', notify: false };
        await provider.moveExternally(calendarId, eventId, eleven, noon);
        const stale = { ...change, version: version ?? 'none' };
        expect(await failure(calendar.updateEvent(credential, stale, limits))).toMatchObject({
          outcome: 'rejected',
          code: 'event_changed',
        });
        const unknown = { ...change, eventId: unknownId() };
        expect(await failure(calendar.updateEvent(credential, unknown, limits))).toMatchObject({
          outcome: 'rejected',
          code: 'event_not_found',
        });
        await provider.deleteExternally(calendarId, eventId);
        const { outcome, code } = await failure(calendar.updateEvent(credential, change, limits));
        expect(outcome).toBe('rejected');
        expect(['event_deleted', 'event_not_found']).toContain(code);
      });

      test('replaces the meeting with another link', async () => {
        const event = booking();
        const { eventId } = await insert(event);
        const ref = { calendarId, eventId, link: 'https://meet.example/other', notify: false };
        await calendar.replaceMeeting(credential, ref, limits);
        await calendar.replaceMeeting(credential, ref, limits);
        expect(await get(eventId)).toMatchObject({
          meeting: { status: 'ready', link: ref.link },
          start: ten,
        });
      });
    });

    describe('deleting it', () => {
      test('succeeds when repeated and when there was no event', async () => {
        const event = booking();
        const { eventId } = await insert(event);
        const ref = { calendarId, eventId, notify: true };
        await calendar.deleteEvent(credential, ref, limits);
        await calendar.deleteEvent(credential, ref, limits);
        await calendar.deleteEvent(credential, { ...ref, eventId: unknownId() }, limits);
        expect(isGone(await get(eventId))).toBe(true);
        expect(await busy()).toEqual([]);
      });

      test('for good leaves nothing, whether the insert had landed or not, however often it is repeated', async () => {
        for (const landed of [true, false]) {
          const event = booking();
          if (landed) await insert(event);
          const first = await calendar.removeForGood(credential, event, limits);
          expect(await calendar.removeForGood(credential, event, limits)).toEqual(first);
          expect(isGone(await find(event))).toBe(true);
          if (!first.certain) {
            expect(first.retryAfterMs).toBeGreaterThan(0);
            continue;
          }
          expect(await failure(insert(event))).toMatchObject({ outcome: 'rejected', code: 'event_deleted' });
        }
        expect(await provider.liveEventIds(calendarId)).toEqual([]);
        expect(await busy()).toEqual([]);
      });
    });

    describe('external changes', () => {
      const changes = (cursor: string | null) =>
        calendar.changedEvents(credential, { calendarId, cursor, since: day.from }, limits);

      test('are reported once, from the cursor on', async () => {
        const moved = await insert(booking());
        const deleted = await insert(booking({ start: eleven, end: noon }));
        const first = await changes(null);
        expect(first.complete).toBe(true);
        expect(first.events.map((event) => event.eventId).toSorted()).toEqual(
          [moved.eventId, deleted.eventId].toSorted(),
        );
        await provider.moveExternally(calendarId, moved.eventId, noon, noon + 1_800_000);
        await provider.deleteExternally(calendarId, deleted.eventId);
        const next = await changes(first.cursor);
        const reported = new Map(next.events.map((event) => [event.eventId, event]));
        expect(reported.get(moved.eventId)).toMatchObject({ bookingId: moved.bookingId, start: noon });
        if (next.complete) expect(isGone(reported.get(deleted.eventId) ?? null)).toBe(true);
        else expect(reported.get(deleted.eventId)?.status).toBe('deleted');
        if (!next.complete) expect((await changes(next.cursor)).events).toEqual([]);
      });
    });

    describe('failures', () => {
      test('an outage is never reported as a rejection nor as free time, and ends within the given time', async () => {
        await busy();
        await provider.outage(true);
        try {
          const calls = [busy(), insert(booking()), get(unknownId())];
          const outcomes = (await Promise.all(calls.map(failure))).map((error) => error.outcome);
          expect(outcomes).not.toContain('rejected');
        } finally {
          await provider.outage(false);
        }
        expect(await busy()).toEqual([]);
      });

      test('a revoked credential is rejected as invalid_grant', async () => {
        await provider.revokeCredential(credential);
        const calls = [busy(), insert(booking()), get(unknownId())];
        for (const error of await Promise.all(calls.map(failure))) {
          expect(error).toMatchObject({ outcome: 'rejected', code: 'invalid_grant' });
        }
      });

      test('an aborted call writes nothing', async () => {
        const given = { timeoutMs: 10_000, signal: AbortSignal.abort() };
        const error = await failure(calendar.insertEvent(credential, booking(), given));
        expect(error.outcome).toBe('not_sent');
        expect(await provider.liveEventIds(calendarId)).toEqual([]);
      });
    });

    test('disconnecting revokes the credential and can be repeated', async () => {
      await calendar.disconnect(credential, limits);
      await calendar.disconnect(credential, limits);
    });
  });
}
