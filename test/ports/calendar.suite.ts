// What every calendar adapter must do with a booking's event: run on each one against a real server of its kind.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  Calendar,
  CalendarCredential,
  CalendarEvent,
  EventRef,
  NewEvent,
} from '../../src/ports/calendar.ts';
import {
  bookingEvent,
  type CalendarUnderTest,
  day,
  eleven,
  failure,
  halfPast,
  limits,
  noon,
  ten,
} from './calendar-under-test.ts';

/** Booking, changing, taking out, changes by hand, and failures. */
export function calendarSuite(name: string, open: () => Promise<CalendarUnderTest>): void {
  describe(`calendar port: ${name}`, () => {
    let outside: CalendarUnderTest;
    let calendar: Calendar;
    let credential: CalendarCredential;
    let calendarId: string;

    beforeAll(async () => {
      outside = await open();
      calendar = outside.calendar;
    });
    afterAll(() => outside.close());
    beforeEach(async () => {
      ({ credential, calendarId } = await outside.connect());
    });

    const booking = (more: Partial<NewEvent> = {}) => bookingEvent(calendar, calendarId, more);
    const insert = (event: NewEvent) => calendar.insertEvent(credential, event, limits);
    const get = (ref: EventRef) => calendar.getEvent(credential, ref, limits);
    const busy = () => calendar.busyTimes(credential, { calendarIds: [calendarId], ...day }, limits);
    const isGone = (event: CalendarEvent | null) => event === null || event.status === 'deleted';

    describe('a booking in the calendar', () => {
      test('is found again by its id, with its booking, times and link', async () => {
        const event = booking();
        const made = await insert(event);
        expect(made).toMatchObject({
          eventId: event.eventId,
          bookingId: event.bookingId,
          status: 'live',
          start: ten,
          end: halfPast,
          meeting: { status: 'ready', link: 'https://meet.example/room-1' },
        });
        expect(await get(event)).toEqual(made);
      });

      test('has an id that follows from the booking, and another for each generation', () => {
        const bookingId = randomUUID();
        const ids = [0, 1, 2].map((generation) => calendar.eventIdFor(bookingId, generation));
        expect(calendar.eventIdFor(bookingId)).toBe(ids[0]);
        expect(new Set([...ids, calendar.eventIdFor(randomUUID())]).size).toBe(4);
      });

      test('is there once however often it is inserted, one after the other and at once', async () => {
        const event = booking();
        const made = await insert(event);
        expect(await insert(event)).toEqual(made);
        const rival = booking({ start: eleven, end: noon });
        await Promise.all(Array.from({ length: 8 }, () => insert(rival)));
        const ids = await outside.liveEventIds(calendarId);
        expect(ids.toSorted()).toEqual([event.eventId, rival.eventId].toSorted());
      });

      test('is there once when the answer to its insert was lost', async () => {
        await outside.loseNextAnswer();
        const event = booking();
        expect(await insert(event)).toMatchObject({ eventId: event.eventId, status: 'live' });
        expect(await outside.liveEventIds(calendarId)).toEqual([event.eventId]);
      });

      test('is never mistaken for another booking that has its id', async () => {
        const event = booking();
        await insert(event);
        const error = await failure(insert({ ...event, bookingId: randomUUID() }));
        expect(error).toMatchObject({ outcome: 'refused', code: 'event_id_taken' });
      });

      test('is refused by a calendar that is not there', async () => {
        const error = await failure(insert(booking({ calendarId: `${calendarId}-unknown` })));
        expect(error).toMatchObject({ outcome: 'refused', code: 'calendar_not_found' });
      });

      test('is null where the calendar never knew it', async () => {
        expect(await get(booking())).toBeNull();
      });
    });

    describe('changing it', () => {
      test('moves it and keeps its link, as often as it is asked', async () => {
        const event = booking();
        const made = await insert(event);
        const change = {
          calendarId,
          eventId: event.eventId,
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

      test('is refused at an old version, for an unknown event and for a deleted one', async () => {
        const event = booking();
        const { version } = await insert(event);
        const change = { calendarId, eventId: event.eventId, summary: 'Changed', notify: false };
        await outside.moveByHand(calendarId, event.eventId, eleven, noon);
        const stale = { ...change, version: version ?? 'none' };
        expect(await failure(calendar.updateEvent(credential, stale, limits))).toMatchObject({
          outcome: 'refused',
          code: 'event_changed',
        });
        const unknown = { ...change, eventId: calendar.eventIdFor(randomUUID()) };
        expect(await failure(calendar.updateEvent(credential, unknown, limits))).toMatchObject({
          outcome: 'refused',
          code: 'event_not_found',
        });
        await outside.deleteByHand(calendarId, event.eventId);
        const { outcome, code } = await failure(calendar.updateEvent(credential, change, limits));
        expect(outcome).toBe('refused');
        expect(['event_deleted', 'event_not_found']).toContain(code);
      });

      test('puts another link in the place of the meeting', async () => {
        const event = booking();
        await insert(event);
        const ref = { calendarId, eventId: event.eventId, link: 'https://meet.example/other', notify: false };
        await calendar.replaceMeeting(credential, ref, limits);
        await calendar.replaceMeeting(credential, ref, limits);
        expect(await get(event)).toMatchObject({ meeting: { status: 'ready', link: ref.link }, start: ten });
      });
    });

    describe('taking it out', () => {
      test('deletes it; twice, or where there was nothing, counts as done', async () => {
        const event = booking();
        await insert(event);
        const ref = { calendarId, eventId: event.eventId, notify: true };
        await calendar.deleteEvent(credential, ref, limits);
        await calendar.deleteEvent(credential, ref, limits);
        await calendar.deleteEvent(
          credential,
          { ...ref, eventId: calendar.eventIdFor(randomUUID()) },
          limits,
        );
        expect(isGone(await get(event))).toBe(true);
        expect(await busy()).toEqual([]);
      });

      test('for good leaves nothing, whether it had landed or not, as often as it is asked', async () => {
        for (const landed of [true, false]) {
          const event = booking();
          if (landed) await insert(event);
          const first = await calendar.removeForGood(credential, event, limits);
          expect(await calendar.removeForGood(credential, event, limits)).toEqual(first);
          expect(isGone(await get(event))).toBe(true);
          if (!first.certain) {
            expect(first.lookAgainAfterMs).toBeGreaterThan(0);
            continue;
          }
          expect(await failure(insert(event))).toMatchObject({ outcome: 'refused', code: 'event_deleted' });
        }
        expect(await outside.liveEventIds(calendarId)).toEqual([]);
        expect(await busy()).toEqual([]);
      });
    });

    describe('changes by hand', () => {
      const changes = (cursor: string | null) =>
        calendar.changedEvents(credential, { calendarId, cursor, since: day.from }, limits);

      test('are told once, from the cursor on', async () => {
        const [moved, deleted] = [booking(), booking({ start: eleven, end: noon })];
        await insert(moved);
        await insert(deleted);
        const first = await changes(null);
        expect(first.complete).toBe(true);
        expect(first.events.map((event) => event.eventId).toSorted()).toEqual(
          [moved.eventId, deleted.eventId].toSorted(),
        );
        await outside.moveByHand(calendarId, moved.eventId, noon, noon + 1_800_000);
        await outside.deleteByHand(calendarId, deleted.eventId);
        const next = await changes(first.cursor);
        const told = new Map(next.events.map((event) => [event.eventId, event]));
        expect(told.get(moved.eventId)).toMatchObject({ bookingId: moved.bookingId, start: noon });
        if (next.complete) expect(isGone(told.get(deleted.eventId) ?? null)).toBe(true);
        else expect(told.get(deleted.eventId)?.status).toBe('deleted');
        if (!next.complete) expect((await changes(next.cursor)).events).toEqual([]);
      });
    });

    describe('failures', () => {
      test('an outage is never told as a refusal nor as "free", and ends within the time given', async () => {
        await busy();
        await outside.outage(true);
        try {
          const calls = [busy(), insert(booking()), get(booking())];
          const outcomes = (await Promise.all(calls.map(failure))).map((error) => error.outcome);
          expect(outcomes).not.toContain('refused');
        } finally {
          await outside.outage(false);
        }
        expect(await busy()).toEqual([]);
      });

      test('a dead credential is told as invalid_grant, refused', async () => {
        await outside.breakCredential(credential);
        const calls = [busy(), insert(booking()), get(booking())];
        for (const error of await Promise.all(calls.map(failure))) {
          expect(error).toMatchObject({ outcome: 'refused', code: 'invalid_grant' });
        }
      });

      test('a call that was given up writes nothing', async () => {
        const given = { timeoutMs: 10_000, signal: AbortSignal.abort() };
        const error = await failure(calendar.insertEvent(credential, booking(), given));
        expect(error.outcome).toBe('not_sent');
        expect(await outside.liveEventIds(calendarId)).toEqual([]);
      });
    });

    test('disconnecting ends the credential, and may be repeated', async () => {
      await calendar.disconnect(credential, limits);
      await calendar.disconnect(credential, limits);
    });
  });
}
