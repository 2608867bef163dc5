// Google for the port's tests: the adapter over real HTTP against the simulated Google, without waiting between retries.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type GoogleControl, googleControl } from '../../sandbox/google/control-client.ts';
import type { EventBody } from '../../sandbox/google/resources.ts';
import { startGoogle } from '../../sandbox/google/server.ts';
import { googleCalendar } from '../../src/adapters/google/calendar.ts';
import type { Clock } from '../../src/base/clock.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import type { Calendar, CalendarCredential, NewEvent } from '../../src/ports/calendar.ts';
import {
  bookingEvent,
  type CalendarUnderTest,
  day,
  type ExternalEvent,
  limits,
} from './calendar-under-test.ts';

export const client = { id: 'gateway.apps.example', secret: 'GOCSPX-sandbox' };
const zone = 'Pacific/Auckland';

export interface GoogleProvider extends CalendarUnderTest {
  url: string;
  control: GoogleControl;
  /** Delays of the adapter between its attempts, in milliseconds; they are skipped. */
  waits: number[];
}

/** A running clock whose `sleep` records the delay, returns immediately and moves the clock forward. */
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

export async function openGoogle(attemptTimeoutMs = 3_000): Promise<GoogleProvider> {
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
    addExternally: async (calendarId, event) => {
      await control.addEvent(calendarId, externalEvent(calendarId, event));
    },
    moveExternally: async (calendarId, eventId, start, end) => {
      const time = (instant: number) => ({ dateTime: new Date(instant).toISOString() });
      await control.changeEvent(calendarId, eventId, { start: time(start), end: time(end) });
    },
    deleteExternally: async (calendarId, eventId) => {
      await control.removeEvent(calendarId, eventId);
    },
    liveEventIds: async (calendarId) => (await control.liveEvents(calendarId)).map((event) => event.id),
    loseNextResponse: () => control.addFault({ does: 'reset', on: 'events.insert', when: 'after', times: 1 }),
    outage: (on) => (on ? control.addFault({ does: 'reset' }) : control.clearFaults()),
    revokeCredential: async (credential) => {
      const { accountEmail } = JSON.parse(credential) as { accountEmail: string };
      await control.revokeGrants({ account: accountEmail });
    },
    close: async () => {
      await outgoing.close();
      await server.close();
    },
  };
}

function externalEvent(owner: string, event: ExternalEvent): EventBody {
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

/** A simulated Google for one test file, reset before each test, with a connected account. */
export function connectedGoogle() {
  let provider: GoogleProvider;
  const google = {
    get provider(): GoogleProvider {
      return provider;
    },
    get calendar(): Calendar {
      return provider.calendar;
    },
    get control(): GoogleControl {
      return provider.control;
    },
    credential: '' as CalendarCredential,
    calendarId: '',
    /** A booking's event with a meeting by Google. */
    booking: (more: Partial<NewEvent<string>> = {}) =>
      bookingEvent(provider.calendar, google.calendarId, {
        meeting: { kind: 'provider', fallbackLink },
        ...more,
      }),
    insert: (event: NewEvent) => provider.calendar.insertEvent(google.credential, event, limits),
    busy: () =>
      provider.calendar.busyTimes(google.credential, { calendarIds: [google.calendarId], ...day }, limits),
    /** The statuses of the responses to an operation. */
    statuses: async (operation: string) =>
      (await provider.control.calls(operation)).map((call) => call.status),
  };
  beforeAll(async () => {
    provider = await openGoogle();
  });
  afterAll(() => provider.close());
  beforeEach(async () => {
    await provider.control.reset();
    await provider.control.putClient(client);
    const { credential, calendarId } = await provider.connect();
    Object.assign(google, { credential, calendarId });
    provider.waits.length = 0;
  });
  return google;
}
