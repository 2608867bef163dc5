// Events whose times are hard to read, as a CalDAV server hands them back: run on each kind of server.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { CaldavKind } from '../harness/caldav-server.ts';
import { type CaldavOutside, object } from './caldav-outside.ts';
import { at, day, limits } from './calendar-under-test.ts';

/** What a server of that kind refuses to store, nobody has in it. */
export function doubtfulEvents(kind: CaldavKind, open: () => CaldavOutside): void {
  let outside: CaldavOutside;
  let credential: string;
  let calendarId: string;
  const timeZone = 'Europe/Berlin';

  beforeAll(async () => {
    outside = open();
    ({ credential, calendarId } = await outside.connect());
  });

  const question = () => ({ calendarIds: [calendarId], ...day, timeZone });
  const iso = (instant: number) => new Date(instant).toISOString().slice(11, 16);

  test('an event that is hard to read blocks where it can be known to, is reported where it cannot, and closes nothing else', async () => {
    const lines: Record<string, string[]> = {
      windows: ['DTSTART;TZID=Eastern Standard Time:20260610T080000', 'DURATION:PT30M'],
      offset: ['DTSTART;TZID="GMT+01:00":20260610T140000', 'DURATION:PT30M'],
      shown: ['DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin, Rome":20260610T160000', 'DURATION:PT30M'],
      unknown: ['DTSTART;TZID=Our own time:20260610T170000', 'DURATION:PT30M'],
      over: [
        'DTSTART;TZID=Our own time:20210101T170000',
        'DURATION:PT30M',
        'RRULE:FREQ=DAILY;UNTIL=20211231',
      ],
    };
    const taken: string[] = [];
    for (const [name, event] of Object.entries(lines)) {
      const id = `${name}-${randomUUID()}`;
      await outside.putByHand(calendarId, id, object([`UID:${id}`, ...event])).then(
        () => taken.push(name),
        () => {},
      );
    }
    expect(taken).toEqual(expect.arrayContaining(['windows', 'shown', 'unknown', 'over']));
    const starts = {
      windows: '12:00',
      offset: '13:00',
      shown: '14:00',
      unknown: '15:00',
    };
    const busy = await outside.calendar.busyTimes(credential, question(), limits);
    expect(busy.map(({ start }) => iso(start))).toEqual(
      Object.entries(starts).flatMap(([name, start]) => (taken.includes(name) ? [start] : [])),
    );
    const problems = await outside.calendar.eventProblems?.(credential, question(), limits);
    expect(
      problems?.map(({ event, problem }) => [/(\w+)-[\w-]+\.ics$/.exec(event)?.[1], problem]).toSorted(),
    ).toEqual([['unknown', 'time_zone_unknown']]);
  });

  test('an event on a bare date blocks that day in the zone of the calendar', async () => {
    const id = randomUUID();
    const put = outside.putByHand(calendarId, id, object([`UID:${id}`, 'DTSTART:20270310']));
    const isTaken = await put.then(
      () => true,
      () => false,
    );
    const span = { from: at('2027-03-08T00:00:00Z'), to: at('2027-03-12T00:00:00Z') };
    const busy = await outside.calendar.busyTimes(credential, { ...question(), ...span }, limits);
    // Xandikos forgets the zone that the calendar was made with
    const zone = kind === 'xandikos' ? timeZone : outside.zone;
    const midnight = (date: string) => Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;
    const whole = [{ start: midnight('2027-03-10'), end: midnight('2027-03-11') }];
    expect(busy).toEqual(isTaken ? whole : []);
  });
}
