// What the calendar suites need of a server under test, and the booking that they handle.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { VendorError } from '../../src/base/errors.ts';
import type { Calendar, CalendarCredential, NewEvent } from '../../src/ports/calendar.ts';

/** An event as a person makes it in the calendar itself. Local times are read in `zone`. */
export interface HandMadeEvent {
  /** `2026-03-10T10:00` */
  from?: string;
  to?: string;
  zone?: string;
  /** `2026-03-10`: the whole day, in the calendar's zone. */
  allDay?: string;
  weekly?: boolean;
  mark?: 'transparent' | 'cancelled' | 'declined' | 'tentative';
}

/** A calendar on a server that the tests may do with as they like. */
export interface CalendarUnderTest {
  calendar: Calendar;
  /** The zone of the calendars of `connect`. */
  zone: string;
  /** A new account with an empty calendar and a second one, both read and written with `credential`. */
  connect(): Promise<{ credential: CalendarCredential; calendarId: string; secondCalendarId: string }>;
  addByHand(calendarId: string, event: HandMadeEvent): Promise<void>;
  moveByHand(calendarId: string, eventId: string, start: number, end: number): Promise<void>;
  deleteByHand(calendarId: string, eventId: string): Promise<void>;
  /** Ids of the events that a person would see. */
  liveEventIds(calendarId: string): Promise<string[]>;
  /** The next write is carried out, and its answer lost. */
  loseNextAnswer(): Promise<void>;
  /** Every call fails (`true`), until all is well again (`false`). */
  outage(on: boolean): Promise<void>;
  /** From now on the credential is worth nothing. */
  breakCredential(credential: CalendarCredential): Promise<void>;
  close(): Promise<void>;
}

/** How a call came to fail. */
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

/** A booking's event from 10:00 to 10:30 UTC on 10 June 2026, with a link of ours. */
export function bookingEvent(calendar: Calendar, calendarId: string, more: Partial<NewEvent> = {}): NewEvent {
  const bookingId = more.bookingId ?? randomUUID();
  return {
    calendarId,
    eventId: calendar.eventIdFor(bookingId),
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
