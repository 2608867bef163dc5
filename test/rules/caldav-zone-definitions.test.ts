// Time zones that calendar objects define: expanded if their rules are usual, and always in bounded time.
import { expect, test } from 'vitest';
import { namedZone, utc } from '../../src/adapters/caldav/zones.ts';
import { readBusyObject } from '../harness/busy-object.ts';

const owner = {
  calendarZone: namedZone('Europe/Berlin') ?? utc,
  staffZone: 'Europe/Berlin',
  addresses: [],
};
const march = { start: Date.parse('2027-03-01T00:00Z'), end: Date.parse('2027-04-01T00:00Z') };

const calendar = (lines: string[], more: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...more, ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (lines: string[]) => ['BEGIN:VEVENT', 'UID:one', ...lines, 'END:VEVENT'];

/** The busy times of a text in March, as `from/to` in UTC, and its reported problems. */
function read(text: string) {
  const { busy, problems } = readBusyObject(text, march, owner);
  const iso = (instant: number) => new Date(instant).toISOString().slice(0, 16);
  return {
    busy: busy.map(({ start, end }) => `${iso(start)}/${iso(end)}`),
    problems: problems.map(({ problem }) => problem),
  };
}

test.each([
  ['every second', 'RRULE:FREQ=SECONDLY'],
  ['every day', 'RRULE:FREQ=DAILY'],
  ['every Sunday', 'RRULE:FREQ=YEARLY;BYDAY=SU'],
  ['twice in an hour', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYMINUTE=0,30'],
])('a zone whose definition changes clocks %s is read by its name', (_what, rule) => {
  const observance = ['BEGIN:STANDARD', 'DTSTART:16010101T000000', rule];
  const offsets = ['TZOFFSETFROM:+0300', 'TZOFFSETTO:+0300', 'END:STANDARD'];
  const definition = ['BEGIN:VTIMEZONE', 'TZID:Eastern Standard Time', ...observance, ...offsets];
  const lines = ['DTSTART;TZID=Eastern Standard Time:20270310T090000', 'DURATION:PT1H'];
  const text = calendar(event(lines), [...definition, 'END:VTIMEZONE']);
  expect(read(text)).toEqual({ busy: ['2027-03-10T14:00/2027-03-10T15:00'], problems: [] });
});

const twiceAYear = (tzid: string) => [
  ...['BEGIN:VTIMEZONE', `TZID:${tzid}`, 'BEGIN:STANDARD', 'DTSTART:16011028T030000'],
  ...['RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100'],
  ...['END:STANDARD', 'BEGIN:DAYLIGHT', 'DTSTART:16010325T020000'],
  ...['RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=SU;BYMONTHDAY=25,26,27,28,29,30,31', 'TZOFFSETFROM:+0100'],
  ...['TZOFFSETTO:+0200', 'END:DAYLIGHT', 'END:VTIMEZONE'],
];
test('a zone with two clock changes a year is expanded in bounded time, also for an event that lasts thousands of years', () => {
  const lines = (day: string) => [`DTSTART;TZID=Customized:202703${day}T090000`, 'DURATION:PT1H'];
  const { busy } = read(
    calendar(
      [...event(lines('10')), 'BEGIN:VEVENT', 'UID:two', ...lines('30'), 'END:VEVENT'],
      twiceAYear('Customized'),
    ),
  );
  expect(busy).toEqual(['2027-03-10T08:00/2027-03-10T09:00', '2027-03-30T07:00/2027-03-30T08:00']);
  const begun = process.cpuUsage();
  const endless = ['DTSTART;TZID=Mine:20270310T090000', 'DURATION:P99000000D'];
  expect(read(calendar(event(endless), twiceAYear('Mine'))).busy).toHaveLength(1);
  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(1_500);
});

test("a zone with thousands of rules is unknown and read in the staff member's zone", () => {
  const rules = twiceAYear('Mine').slice(2, -1);
  const many = ['BEGIN:VTIMEZONE', 'TZID:Mine', ...Array(500).fill(rules).flat(), 'END:VTIMEZONE'];
  const begun = process.cpuUsage();
  const lines = ['DTSTART;TZID=Mine:20270310T090000', 'DURATION:PT1H'];
  expect(read(calendar(event(lines), many)).busy).toEqual(['2027-03-10T08:00/2027-03-10T09:00']);
  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(1_500);
});
