// The server under test of the calendar suites, and the booking that they use.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { VendorError } from '../../src/base/errors.ts';
import type { Calendar, CalendarCredential, NewEvent } from '../../src/ports/calendar.ts';

/** An event as a person creates it in the calendar. Local times are in `zone`. */
export interface ExternalEvent {
  /** `2026-03-10T10:00` */
  from?: string;
  to?: string;
  zone?: string;
  /** `2026-03-10`: the whole day, in the calendar's zone. */
  allDay?: string;
  weekly?: boolean;
  mark?: 'transparent' | 'cancelled' | 'declined' | 'tentative';
}

/** A calendar provider under the control of the tests. */
export interface CalendarUnderTest {
  calendar: Calendar;
  /** The zone of the calendars of `connect`. */
  zone: string;
  /** A new account with two empty calendars that `credential` reads and writes. */
  connect(): Promise<{ credential: CalendarCredential; calendarId: string; secondCalendarId: string }>;
  addExternally(calendarId: string, event: ExternalEvent): Promise<void>;
  moveExternally(calendarId: string, eventId: string, start: number, end: number): Promise<void>;
  deleteExternally(calendarId: string, eventId: string): Promise<void>;
  /** Ids of the visible events. */
  liveEventIds(calendarId: string): Promise<string[]>;
  /** The next write succeeds, but its response is lost. */
  loseNextResponse(): Promise<void>;
  /** `true`: every call fails until `false`. */
  outage(on: boolean): Promise<void>;
  /** Revokes the credential. */
  revokeCredential(credential: CalendarCredential): Promise<void>;
  close(): Promise<void>;
}

/** The error of a call that must fail. */
export async function failure(call: Promise<unknown>): Promise<VendorError> {
  const error = await call.then(
    () => expect.unreachable('the call should have failed'),
    (raised) => raised,
  );
  if (!(error instanceof VendorError)) throw error;
  return error;
}

export const limits = { timeoutMs: 10_000 };
export const at = (text: string) => Date.parse(text);
export const [ten, halfPast, eleven, noon] = ['10:00', '10:30', '11:00', '12:00'].map((time) =>
  at(`2026-06-10T${time}:00Z`),
) as [number, number, number, number];
export const day = { from: at('2026-06-10T00:00:00Z'), to: at('2026-06-11T00:00:00Z') };

/** The id of a booking's event; fails for an adapter that cannot choose it. */
export function eventIdFor(calendar: Calendar, bookingId: string, generation?: number): string {
  if (calendar.eventIds.kind !== 'chosen') return expect.unreachable('the adapter cannot choose event ids');
  return calendar.eventIds.idFor(bookingId, generation);
}

/** The event of `newEvent` with the id that the adapter chooses for it. */
export function bookingEvent(
  calendar: Calendar,
  calendarId: string,
  more: Partial<NewEvent<string>> = {},
): NewEvent<string> {
  const event = newEvent(calendarId, more);
  return { ...event, eventId: more.eventId ?? eventIdFor(calendar, event.bookingId) };
}

/** The event for an adapter's suite: with an id, where the adapter chooses it. */
export function eventOf(calendar: Calendar, calendarId: string, more: Partial<NewEvent> = {}): NewEvent {
  const event = newEvent(calendarId, more);
  if (calendar.eventIds.kind === 'assigned') return event;
  return { ...event, eventId: calendar.eventIds.idFor(event.bookingId) };
}

/** A booking's event without an id, from 10:00 to 10:30 UTC on 10 June 2026, with a meeting link of the gateway. */
function newEvent(calendarId: string, more: Partial<NewEvent> = {}): NewEvent {
  const bookingId = more.bookingId ?? randomUUID();
  return {
    calendarId,
    eventId: null,
    bookingId,
    summary: 'Consultation: Ravi',
    description: 'Booked by chat.\nAnswers:\n- Reason: "check-up", 50 % off; café',
    start: ten,
    end: halfPast,
    timeZone: 'Asia/Kolkata',
    guests: [{ email: 'ravi@example.com', name: 'Ravi' }],
    meeting: { kind: 'link', link: 'https://meet.example/room-1' },
    notify: true,
    ...more,
  };
}
