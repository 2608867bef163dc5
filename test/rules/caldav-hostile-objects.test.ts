// Responses of CalDAV servers that are made to stop the gateway: their reading takes bounded time.
import { describe, expect, test } from 'vitest';
import { busyTimes } from '../../src/adapters/caldav/busy-times.ts';
import { type Owner, readBusySeries } from '../../src/adapters/caldav/expansion.ts';
import { parseMultistatus } from '../../src/adapters/caldav/multistatus.ts';
import { utc, zoneOfCalendar } from '../../src/adapters/caldav/zones.ts';
import { readBusyObject } from '../harness/busy-object.ts';

const owner: Owner = { calendarZone: utc, staffZone: 'UTC', addresses: [] };
const november = { start: Date.UTC(2026, 10, 1), end: Date.UTC(2026, 11, 1) };
/** Far more than any of these takes, and far less than it would take if its time grew with the square of its size. */
const limitMs = 10_000;

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (uid: string, ...lines: string[]) => ['BEGIN:VEVENT', `UID:${uid}`, ...lines, 'END:VEVENT'];
const nine = ['DTSTART:20261110T090000Z', 'DURATION:PT1H'];
const times = <T>(count: number, of: (index: number) => T) =>
  Array.from({ length: count }, (_, at) => of(at));
/** A series of 14,400 occurrences a month. */
const frequent = ['DTSTART:20261101T000000Z', 'DURATION:PT1S', 'RRULE:FREQ=MINUTELY;INTERVAL=3'];

function read(text: string) {
  const startedMs = performance.now();
  const { busy, problems } = readBusyObject(text, november, owner);
  expect(performance.now() - startedMs).toBeLessThan(limitMs);
  return { busy: busy.length, problems: problems.map(({ message }) => message) };
}

describe('an object is read in bounded time', () => {
  test('with a line whose values begin at any of thousands of colons', () => {
    const line = `EXDATE:20260101/x${',20260101/:20260101'.repeat(3_000)},!`;
    expect(read(calendar(...event('a', ...nine, ...times(40, () => line)))).busy).toBe(1);
  });

  test('with a line of a million parameters, which is left out unless it determines the time', () => {
    const parameters = ';A=b'.repeat(1_000_000);
    expect(read(calendar(...event('a', ...nine, `X-A${parameters}:1`)))).toEqual({ busy: 1, problems: [] });
    const unreadable = read(calendar(...event('a', ...nine, `RDATE${parameters}:20261111T090000Z`)));
    expect(unreadable).toEqual({ busy: 1, problems: ['its RDATE cannot be read'] });
  });

  test('with an attachment of megabytes, which is left out', () => {
    const attachment = `ATTACH;ENCODING=BASE64;VALUE=BINARY:${'QUJD'.repeat(2_000_000)}`;
    expect(read(calendar(...event('a', ...nine, attachment)))).toEqual({ busy: 1, problems: [] });
  });

  test('with more lines, or longer ones, than any event has, which is a problem', () => {
    const tooLarge = { busy: 0, problems: ['it is larger than any event'] };
    expect(read(calendar(...event('a', ...nine, ...times(100_000, () => 'BAD'))))).toEqual(tooLarge);
    const long = `DESCRIPTION:${'x'.repeat(60_000)}`;
    expect(read(calendar(...event('a', ...nine, ...times(80, () => long))))).toEqual(tooLarge);
  });

  test('with thousands of excluded dates, exceptions and guests of a frequent series', () => {
    const dates = `EXDATE;VALUE=DATE:${times(5_000, () => '20200101').join(',')}`;
    const guests = times(5_000, () => 'ATTENDEE;PARTSTAT=DECLINED:mailto:a@example.com');
    const exceptions = times(3_000, () =>
      event('a', 'RECURRENCE-ID;RANGE=THISANDFUTURE:20200101T000000Z', 'DTSTART:20200101T000000Z'),
    );
    const text = calendar(...event('a', ...frequent, dates, ...guests), ...exceptions.flat());
    expect(read(text).problems).toEqual([]);
  });
});

const standard = ['BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0100'];
const zone = (tzid: string, ...lines: string[]) => [
  ...['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...lines, ...standard, 'END:STANDARD', 'END:VTIMEZONE'],
];

describe('the zones of an object are found in bounded time', () => {
  test('if the name of one has thousands of parts', () => {
    const name = `${'a/'.repeat(30_000)}b`;
    const lines = [`DTSTART;TZID=${name}:20261110T090000`, 'DURATION:PT1H'];
    const { busy, problems } = read(calendar(...event('a', ...lines)));
    expect({ busy, problems: problems.length }).toEqual({ busy: 1, problems: 1 });
    expect(problems[0]?.length).toBeLessThan(400);
    zoneOfCalendar('a/'.repeat(500_000));
  });

  test('if one has megabytes of comments and thousands of dates', () => {
    const comments = times(40_000, (index) => `COMMENT:${index}`);
    const dates = times(2_000, () => '20261110T090000').join(',');
    const lines = ['DTSTART;TZID=Mine:20261110T090000', 'DURATION:PT1H', `RDATE;TZID=Mine:${dates}`];
    const text = calendar(...zone('Mine', ...comments), ...event('a', ...lines));
    expect(read(text)).toEqual({ busy: 1, problems: [] });
  });

  test('if it defines more than any event has, of which the first are read', () => {
    const zones = times(4_000, (index) => zone(`Mine ${index}`)).flat();
    const dates = times(4_000, (index) => `RDATE;TZID=Mine ${index}:20261110T090000`);
    const text = calendar(...zones, ...event('a', ...nine, ...dates));
    expect(read(text).busy).toBe(2);
  });
});

test('a calendar whose time zone has megabytes is read without it', () => {
  const lines = ['BEGIN:VCALENDAR', ...zone('Mine', `COMMENT${';A=b'.repeat(1_000_000)}:1`), 'END:VCALENDAR'];
  expect(zoneOfCalendar(lines.join('\r\n'))).toBeNull();
});

test('thousands of events and exceptions of one series are read in bounded time', () => {
  const events = times(4_000, () => event('a', ...nine)).flat();
  const exceptions = times(4_000, () =>
    event('a', 'RECURRENCE-ID;RANGE=THISANDFUTURE:20200101T000000Z', 'DTSTART:20200101T000000Z'),
  );
  expect(read(calendar(...events, ...exceptions.flat())).problems).toEqual([]);
});

test('the dates of a series are limited', () => {
  const list = times(3_000, () => '20261111T090000Z').join(',');
  const dates = times(8, (index) => `${index % 2 ? 'EXDATE' : 'RDATE'}:${list}`);
  expect(read(calendar(...event('a', ...nine, ...dates))).problems).toEqual(['it has too many dates']);
});

test('the rules of all events of one series are limited together', () => {
  const text = calendar(...times(30, () => event('a', ...nine, 'RRULE:FREQ=DAILY;COUNT=2')).flat());
  expect(read(text).problems).toEqual(['it has too many rules']);
});

test('the series of an object are read one by one, so that other work can run in between', () => {
  const text = calendar(...times(3, (index) => event(`u${index}`, ...nine)).flat());
  expect([...readBusySeries(text, november, owner)].map(({ busy }) => busy.length)).toEqual([1, 1, 1]);
});

test('expanding the events of a calendar ends with the time limit of the call', async () => {
  const never = ['DTSTART:19000101T000000Z', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=5'];
  const rows = times(2_000, (index) => {
    const text = calendar(...event(`u${index}`, ...never));
    const data = `<C:calendar-data>${text}</C:calendar-data>`;
    return `<response><href>/home/c/${index}.ics</href><propstat><prop><getetag>"1"</getetag>${data}</prop><status>HTTP/1.1 200 OK</status></propstat></response>`;
  });
  const properties =
    '<response><href>/home/c/</href><propstat><prop><resourcetype><C:calendar/></resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response>';
  const multistatus = (inner: string) =>
    `<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">${inner}</multistatus>`;
  const outgoing = {
    request: async ({ method }: { method: string }) => ({
      ...{ status: 207, headers: {}, truncated: false, durationMs: 1 },
      body: Buffer.from(multistatus(method === 'PROPFIND' ? properties : rows.join(''))),
    }),
  };
  const account = {
    ...{ username: 'a', password: 'b', homeUrl: 'https://example.com/home/', reads: 'time_range' as const },
    ...{ timeZone: 'UTC', addresses: [] },
  };
  const limits = { until: performance.now() + 1_000, signal: undefined };
  const query = { calendarIds: ['/home/c/'], from: november.start, to: november.end };
  const startedMs = performance.now();
  const reading = busyTimes({ outgoing, limits }, account as never, query as never);
  await expect(reading).rejects.toMatchObject({ outcome: 'unknown', code: 'timeout' });
  expect(performance.now() - startedMs).toBeLessThan(limitMs);
});

describe('a multi-status response is rejected', () => {
  const response = (inner: string) => () =>
    parseMultistatus(`<multistatus xmlns="DAV:">${inner}</multistatus>`, 'https://example.com/');

  test('with more elements than any calendar has', () => {
    expect(response('<a/>'.repeat(500_001))).toThrow('it has too many elements');
  });

  test('with an element of thousands of attributes', () => {
    const attributes = times(5_000, (index) => `xmlns:a${index}="b"`).join(' ');
    expect(response(`<a ${attributes}/>`)).toThrow('too many attributes');
  });
});
