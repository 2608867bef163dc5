// Google as the port's tests use it: the adapter over real HTTP against the played Google, waits skipped.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type GoogleControl, googleControl } from '../../sandbox/google/control-client.ts';
import type { EventBody } from '../../sandbox/google/resources.ts';
import { startGoogle } from '../../sandbox/google/server.ts';
import { googleCalendar } from '../../src/adapters/google/calendar.ts';
import type { Clock } from '../../src/base/clock.ts';
import { openOutgoing } from '../../src/base/outgoing.ts';
import type { Calendar, CalendarCredential, NewEvent } from '../../src/ports/calendar.ts';
import {
  bookingEvent,
  type CalendarUnderTest,
  day,
  type HandMadeEvent,
  limits,
} from './calendar-under-test.ts';

export const client = { id: 'gateway.apps.example', secret: 'GOCSPX-sandbox' };
const zone = 'Pacific/Auckland';

export interface GoogleOutside extends CalendarUnderTest {
  url: string;
  control: GoogleControl;
  /** Waits of the adapter between its attempts, in milliseconds; they are skipped. */
  waits: number[];
}

/** Time that goes on by itself, and jumps over every wait. */
function skippingClock(waits: number[]): Clock {
  let skippedMs = 0;
  return {
    now: () => Date.now() + skippedMs,
    steady: () => Date.now() + skippedMs,
    sleep: async (ms) => {
      skippedMs += ms;
      waits.push(ms);
    },
  };
}

export async function openGoogle(attemptTimeoutMs = 3_000): Promise<GoogleOutside> {
  const server = await startGoogle({ clients: [client] });
  const control = googleControl(server.url);
  const outgoing = openOutgoing({ connectionsPerOrigin: null, keepAliveMs: 1_000 });
  const waits: number[] = [];
  const calendar = googleCalendar({
    clientId: client.id,
    clientSecret: client.secret,
    outgoing,
    apiUrl: server.url,
    authUrl: `${server.url}/o/oauth2/v2/auth`,
    tokenUrl: `${server.url}/token`,
    revokeUrl: `${server.url}/revoke`,
    clock: skippingClock(waits),
    attemptTimeoutMs,
  });
  return {
    calendar,
    zone,
    url: server.url,
    control,
    waits,
    connect: async () => {
      const account = `staff-${randomUUID()}@clinic.example`;
      await control.putAccount({ email: account, timeZone: zone });
      await control.putCalendar({ id: `second-${account}`, owner: account, timeZone: zone });
      const refreshToken = await control.issueRefreshToken({ account, clientId: client.id });
      const credential = JSON.stringify({ refreshToken, accountEmail: account, scopes: [] });
      return { credential, calendarId: account, secondCalendarId: `second-${account}` };
    },
    addByHand: async (calendarId, event) => {
      await control.addEvent(calendarId, handMade(calendarId, event));
    },
    moveByHand: async (calendarId, eventId, start, end) => {
      const time = (instant: number) => ({ dateTime: new Date(instant).toISOString() });
      await control.changeEvent(calendarId, eventId, { start: time(start), end: time(end) });
    },
    deleteByHand: async (calendarId, eventId) => {
      await control.removeEvent(calendarId, eventId);
    },
    liveEventIds: async (calendarId) => (await control.liveEvents(calendarId)).map((event) => event.id),
    loseNextAnswer: () => control.addFault({ does: 'reset', on: 'events.insert', when: 'after', times: 1 }),
    outage: (on) => (on ? control.addFault({ does: 'reset' }) : control.clearFaults()),
    breakCredential: async (credential) => {
      const { accountEmail } = JSON.parse(credential) as { accountEmail: string };
      await control.revokeGrants({ account: accountEmail });
    },
    close: async () => {
      await outgoing.close();
      await server.close();
    },
  };
}

function handMade(owner: string, event: HandMadeEvent): EventBody {
  const status = event.mark === 'cancelled' || event.mark === 'tentative' ? event.mark : 'confirmed';
  const marks: EventBody = {
    status,
    ...(event.mark === 'transparent' ? { transparency: 'transparent' } : {}),
    ...(event.mark === 'declined' ? { attendees: [{ email: owner, responseStatus: 'declined' }] } : {}),
    ...(event.weekly ? { recurrence: ['RRULE:FREQ=WEEKLY'] } : {}),
  };
  if (event.allDay !== undefined) {
    const next = Temporal.PlainDate.from(event.allDay).add({ days: 1 }).toString();
    return { ...marks, start: { date: event.allDay }, end: { date: next } };
  }
  const timeZone = event.zone ?? zone;
  const time = (text = '') => ({ dateTime: `${text}:00`, timeZone });
  return { ...marks, start: time(event.from), end: time(event.to) };
}

export const fallbackLink = 'https://meet.jit.si/gateway-2f6e1c';

/** One played Google for the tests of a file, forgetting everything before each, with an account that is connected. */
export function connectedGoogle() {
  let outside: GoogleOutside;
  const google = {
    get outside(): GoogleOutside {
      return outside;
    },
    get calendar(): Calendar {
      return outside.calendar;
    },
    get control(): GoogleControl {
      return outside.control;
    },
    credential: '' as CalendarCredential,
    calendarId: '',
    /** A booking that wants a meeting of Google's. */
    booking: (more: Partial<NewEvent<string>> = {}) =>
      bookingEvent(outside.calendar, google.calendarId, {
        meeting: { kind: 'provider', fallbackLink },
        ...more,
      }),
    insert: (event: NewEvent) => outside.calendar.insertEvent(google.credential, event, limits),
    busy: () =>
      outside.calendar.busyTimes(google.credential, { calendarIds: [google.calendarId], ...day }, limits),
    /** What the calls of an operation were answered. */
    statuses: async (operation: string) =>
      (await outside.control.calls(operation)).map((call) => call.status),
  };
  beforeAll(async () => {
    outside = await openGoogle();
  });
  afterAll(() => outside.close());
  beforeEach(async () => {
    await outside.control.reset();
    await outside.control.putClient(client);
    const { credential, calendarId } = await outside.connect();
    Object.assign(google, { credential, calendarId });
    outside.waits.length = 0;
  });
  return google;
}
