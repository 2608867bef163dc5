// The suite for events with uncertain times, as a CalDAV server returns them. Runs on each kind of server.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { CaldavKind } from '../harness/caldav-server.ts';
import { type CaldavProvider, object } from './caldav-provider.ts';
import { at, day, limits } from './calendar-under-test.ts';

/** Skips events that a server of that kind rejects. */
export function uncertainTimesSuite(kind: CaldavKind, open: () => CaldavProvider): void {
  let provider: CaldavProvider;
  let credential: string;
  let calendarId: string;
  const timeZone = 'Europe/Berlin';

  beforeAll(async () => {
    provider = open();
    ({ credential, calendarId } = await provider.connect());
  });

  const query = () => ({ calendarIds: [calendarId], ...day, timeZone });
  const iso = (instant: number) => new Date(instant).toISOString().slice(11, 16);

  test('an event with a nonstandard time blocks that time, one with an unknown zone is reported, and neither blocks other times', async () => {
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
    const stored: string[] = [];
    for (const [name, event] of Object.entries(lines)) {
      const id = `${name}-${randomUUID()}`;
      await provider.putExternally(calendarId, id, object([`UID:${id}`, ...event])).then(
        () => stored.push(name),
        () => {},
      );
    }
    expect(stored).toEqual(expect.arrayContaining(['windows', 'shown', 'unknown', 'over']));
    const starts = {
      windows: '12:00',
      offset: '13:00',
      shown: '14:00',
      unknown: '15:00',
    };
    const busy = await provider.calendar.busyTimes(credential, query(), limits);
    expect(busy.map(({ start }) => iso(start))).toEqual(
      Object.entries(starts).flatMap(([name, start]) => (stored.includes(name) ? [start] : [])),
    );
    const problems = await provider.calendar.eventProblems?.(credential, query(), limits);
    expect(
      problems?.map(({ event, problem }) => [/(\w+)-[\w-]+\.ics$/.exec(event)?.[1], problem]).toSorted(),
    ).toEqual([['unknown', 'time_zone_unknown']]);
  });

  test("an event whose DTSTART is only a date blocks that day in the calendar's zone", async () => {
    const id = randomUUID();
    const put = provider.putExternally(calendarId, id, object([`UID:${id}`, 'DTSTART:20270310']));
    const isStored = await put.then(
      () => true,
      () => false,
    );
    const span = { from: at('2027-03-08T00:00:00Z'), to: at('2027-03-12T00:00:00Z') };
    const busy = await provider.calendar.busyTimes(credential, { ...query(), ...span }, limits);
    // Xandikos does not store the calendar's zone
    const zone = kind === 'xandikos' ? timeZone : provider.zone;
    const midnight = (date: string) => Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;
    const whole = [{ start: midnight('2027-03-10'), end: midnight('2027-03-11') }];
    expect(busy).toEqual(isStored ? whole : []);
  });
}
