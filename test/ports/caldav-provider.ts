// A CalDAV server for the port's tests: the adapter over real HTTP, with new accounts, and without waiting between retries.
import { randomUUID } from 'node:crypto';
import { caldavCalendar } from '../../src/adapters/caldav/calendar.ts';
import type { Clock } from '../../src/base/clock.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import type { Calendar } from '../../src/ports/calendar.ts';
import { type CaldavKind, type CaldavServer, startCaldav } from '../harness/caldav-server.ts';
import { type CalendarUnderTest, type ExternalEvent, limits } from './calendar-under-test.ts';

const zone = 'Pacific/Auckland';

export interface CaldavProvider extends CalendarUnderTest {
  server: CaldavServer;
  /** Creates an account with two calendars, and does not connect it. */
  account(): Promise<CaldavAccountUnderTest>;
  /** Writes an object into a calendar, as another program would. */
  putExternally(calendarId: string, name: string, text: string): Promise<void>;
}

export interface CaldavAccountUnderTest {
  username: string;
  password: string;
  calendarPath: string;
  secondCalendarPath: string;
}

/** A running clock whose `sleep` returns immediately and moves it forward. */
function skippingClock(): Clock {
  let skippedMs = 0;
  return {
    now: () => Date.now() + skippedMs,
    steady: () => Date.now() + skippedMs,
    sleep: async (ms) => {
      skippedMs += ms;
    },
  };
}

export async function openCaldav(kind: CaldavKind): Promise<CaldavProvider> {
  const server = await startCaldav(kind);
  const outgoing = openOutgoing({ connectionsPerOrigin: null, keepAliveMs: 1_000 });
  const calendar: Calendar = caldavCalendar({ outgoing, clock: skippingClock(), attemptTimeoutMs: 3_000 });
  /** Accounts by the paths of their calendars. */
  const people = new Map<string, CaldavAccountUnderTest>();
  const pathOf = (calendarId: string) => new URL(calendarId, server.url).pathname;
  const ownerOf = (calendarId: string) => {
    const found = people.get(pathOf(calendarId));
    if (found === undefined) throw new Error(`nobody has the calendar ${calendarId}`);
    return found;
  };
  const direct = async (
    calendarId: string,
    method: string,
    name: string,
    given?: { body?: string; headers?: Record<string, string> },
  ) => {
    const path = `${pathOf(calendarId)}${name}`;
    const response = await server.direct(ownerOf(calendarId), method, path, given);
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response.text;
  };
  const putExternally = async (calendarId: string, name: string, body: string) => {
    await direct(calendarId, 'PUT', `${name}.ics`, { body, headers: { 'content-type': 'text/calendar' } });
  };

  async function account(): Promise<CaldavAccountUnderTest> {
    const name = randomUUID();
    const person = { username: `staff-${name}@clinic.example`, password: `pass:wörd-${name}` };
    const { homePath } = await server.addAccount(person.username, person.password);
    const paths = ['first', 'second'].map((which) => `${homePath}${which}-${name}/`);
    for (const path of paths) {
      const headers = { 'content-type': 'application/xml' };
      const made = await server.direct(person, 'MKCALENDAR', path, { body: mkcalendar, headers });
      if (made.status >= 300) throw new Error(`MKCALENDAR ${path}: ${made.status} ${made.text}`);
    }
    const [calendarPath = '', secondCalendarPath = ''] = paths;
    const whole = { ...person, calendarPath, secondCalendarPath };
    for (const path of paths) people.set(path, whole);
    return whole;
  }

  return {
    calendar,
    zone,
    server,
    account,
    putExternally,
    connect: async () => {
      const { username, password, calendarPath, secondCalendarPath } = await account();
      const calendarUrl = `${server.url}${calendarPath}`;
      const given = { url: server.url, username, password, calendarUrl, timeZone: zone };
      const connected = await calendar.password?.connect(given, limits);
      if (connected === undefined) throw new Error('the adapter has no password sign-in');
      const { credential, calendarId } = connected;
      return { credential, calendarId, secondCalendarId: `${server.url}${secondCalendarPath}` };
    },
    addExternally: (calendarId, event) => {
      const uid = randomUUID();
      return putExternally(calendarId, uid, externalEvent(uid, event, ownerOf(calendarId).username));
    },
    moveExternally: async (calendarId, eventId, start, end) => {
      const text = await direct(calendarId, 'GET', `${eventId}.ics`);
      const moved = text
        .replace(/^DTSTART.*$/m, `DTSTART:${stamp(start)}`)
        .replace(/^DTEND.*$/m, `DTEND:${stamp(end)}`);
      await putExternally(calendarId, eventId, moved);
    },
    deleteExternally: async (calendarId, eventId) => {
      await direct(calendarId, 'DELETE', `${eventId}.ics`);
    },
    liveEventIds: async (calendarId) => {
      const text = await direct(calendarId, 'PROPFIND', '', {
        body: '<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>',
        headers: { depth: '1', 'content-type': 'application/xml' },
      });
      return [...text.matchAll(/([\w%-]+)\.ics<\/(?:\w+:)?href>/g)].map(([, id]) => id ?? '');
    },
    loseNextResponse: async () => {
      server.proxy.dropNextPutResponse = true;
    },
    outage: async (on) => {
      server.proxy.isClosed = on;
    },
    revokeCredential: async (credential) => {
      const { username } = JSON.parse(credential) as { username: string };
      await server.removeAccount(username);
    },
    close: async () => {
      await outgoing.close();
      await server.close();
    },
  };
}

export const stamp = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');

const mkcalendar = `<?xml version="1.0"?>
<C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop>
<C:supported-calendar-component-set><C:comp name="VEVENT"/></C:supported-calendar-component-set>
<C:calendar-timezone>BEGIN:VCALENDAR&#13;
VERSION:2.0&#13;
PRODID:-//Test//Test//EN&#13;
BEGIN:VTIMEZONE&#13;
TZID:${zone}&#13;
BEGIN:STANDARD&#13;
DTSTART:19700101T000000&#13;
TZOFFSETFROM:+1200&#13;
TZOFFSETTO:+1200&#13;
END:STANDARD&#13;
END:VTIMEZONE&#13;
END:VCALENDAR&#13;
</C:calendar-timezone></prop></set></C:mkcalendar>`;

/** An iCalendar object with one or several events, given by their lines. */
export function object(...events: string[][]): string {
  const lines = events.flatMap((event) => [
    'BEGIN:VEVENT',
    'DTSTAMP:20260101T000000Z',
    ...event,
    'END:VEVENT',
  ]);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//Test//EN', ...lines, 'END:VCALENDAR', ''].join(
    '\r\n',
  );
}

function externalEvent(uid: string, event: ExternalEvent, owner: string): string {
  const time = (text = '') =>
    event.zone === 'UTC'
      ? `:${text.replace(/[-:]/g, '')}00Z`
      : `;TZID=${event.zone ?? zone}:${text.replace(/[-:]/g, '')}00`;
  const date = event.allDay?.replaceAll('-', '');
  const marks = {
    transparent: ['TRANSP:TRANSPARENT'],
    cancelled: ['STATUS:CANCELLED'],
    tentative: ['STATUS:TENTATIVE'],
    declined: ['ORGANIZER:mailto:boss@example.com', `ATTENDEE;PARTSTAT=DECLINED:mailto:${owner}`],
  };
  return object([
    `UID:${uid}`,
    ...(date === undefined
      ? [`DTSTART${time(event.from)}`, `DTEND${time(event.to)}`]
      : [`DTSTART;VALUE=DATE:${date}`]),
    ...(event.weekly ? ['RRULE:FREQ=WEEKLY'] : []),
    ...(event.mark ? marks[event.mark] : []),
  ]);
}
