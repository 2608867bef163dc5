// Nonstandard events of Outlook, Exchange, Apple, Lotus and others: read if possible, else reported, without blocking other days.
import { describe, expect, test } from 'vitest';
import type { Owner } from '../../src/adapters/caldav/expansion.ts';
import { namedZone, utc } from '../../src/adapters/caldav/zones.ts';
import { readBusyObject } from '../harness/busy-object.ts';

const owner: Owner = {
  calendarZone: namedZone('Europe/Berlin') ?? utc,
  staffZone: 'Europe/Berlin',
  addresses: [],
};
const day = 86_400_000;
const at = (text: string) => Date.parse(text);
/** March 2027. Summer time begins on the 28th in Europe and on the 14th in North America. */
const march = { start: at('2027-03-01T00:00Z'), end: at('2027-04-01T00:00Z') };

const calendar = (lines: string[], more: string[] = []) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...more, ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (lines: string[]) => ['BEGIN:VEVENT', 'UID:one', ...lines, 'END:VEVENT'];

/** The busy times of a text, as `from/to` in UTC, and its reported problems. */
function read(text: string, span = march) {
  const { busy, problems } = readBusyObject(text, span, owner);
  const iso = (instant: number) => new Date(instant).toISOString().slice(0, 16);
  return {
    busy: busy.toSorted((a, b) => a.start - b.start).map(({ start, end }) => `${iso(start)}/${iso(end)}`),
    problems: problems.map(({ problem }) => problem),
  };
}
const readEvent = (...lines: string[]) => read(calendar(event(lines)));
const nine = (name: string) => readEvent(`DTSTART;TZID=${name}:20270310T090000`, 'DURATION:PT1H');
const from = (start: string) => ({ busy: [`2027-03-10T${start}`], problems: [] });

describe('a time zone', () => {
  test.each([
    ['Windows', 'Eastern Standard Time', '14:00/2027-03-10T15:00'],
    ['Windows, quoted', '"W. Europe Standard Time"', '08:00/2027-03-10T09:00'],
    ['Windows, in another case', 'w. europe standard time', '08:00/2027-03-10T09:00'],
    ['Windows, numbered by Outlook', 'W. Europe Standard Time 1', '08:00/2027-03-10T09:00'],
    ['Windows, by summer time', 'Eastern Daylight Time', '14:00/2027-03-10T15:00'],
    ['Windows, a fixed one', 'UTC-11', '20:00/2027-03-10T21:00'],
    [
      'as Exchange shows it',
      '"(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna"',
      '08:00/2027-03-10T09:00',
    ],
    [
      'as Exchange shows it, not quoted',
      '(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna',
      '08:00/2027-03-10T09:00',
    ],
    ['as a German Exchange shows it', '"(UTC+01:00) Amsterdam, Berlin, Rom, Wien"', '08:00/2027-03-10T09:00'],
    [
      'as Exchange shows it, without a city',
      '"(UTC-05:00) Eastern Time (US & Canada)"',
      '14:00/2027-03-10T15:00',
    ],
    ['as old Exchange shows it', '(GMT+01.00) Sarajevo/Warsaw/Zagreb', '08:00/2027-03-10T09:00'],
    [
      'Greenwich, as SharePoint shows it',
      '"(UTC) Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London"',
      '09:00/2027-03-10T10:00',
    ],
    ['a fixed offset', 'GMT+01:00', '08:00/2027-03-10T09:00'],
    ['a fixed offset in hours', 'UTC-3', '12:00/2027-03-10T13:00'],
    ['a fixed offset without a colon', '-0500', '14:00/2027-03-10T15:00'],
    ['a fixed offset of half an hour', 'UTC+5:30', '03:30/2027-03-10T04:30'],
    ['a fixed offset in the database, which turns the sign', 'Etc/GMT-1', '08:00/2027-03-10T09:00'],
    ['universal time of Exchange', 'tzone://Microsoft/Utc', '09:00/2027-03-10T10:00'],
    ['of Evolution', '/freeassociation.sourceforge.net/Asia/Tokyo', '00:00/2027-03-10T01:00'],
    ['of older Evolution', '/freeassociation.sourceforge.net/Tzfile/Asia/Tokyo', '00:00/2027-03-10T01:00'],
    ['of Sunbird', '/mozilla.org/20050126_1/America/Indiana/Knox', '15:00/2027-03-10T16:00'],
    ['of Citadel', '/citadel.org/20190914_1/Asia/Tokyo', '00:00/2027-03-10T01:00'],
    ['with a slash before it', '/Asia/Tokyo', '00:00/2027-03-10T01:00'],
    ['in lower case', 'asia/tokyo', '00:00/2027-03-10T01:00'],
    ['in single quotes', "'Asia/Tokyo'", '00:00/2027-03-10T01:00'],
  ])('is known by its name: %s (%s)', (_what, name, expected) => {
    expect(nine(name)).toEqual(from(expected));
  });

  test('has summer time by its Windows name, and none as a fixed offset', () => {
    const late = (name: string) => readEvent(`DTSTART;TZID=${name}:20270330T090000`, 'DURATION:PT1H').busy;
    expect(late('W. Europe Standard Time')).toEqual(['2027-03-30T07:00/2027-03-30T08:00']);
    expect(late('GMT+01:00')).toEqual(['2027-03-30T08:00/2027-03-30T09:00']);
  });

  const ownRules = (tzid: string) => [
    ...['BEGIN:VTIMEZONE', `TZID:${tzid}`, 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
    ...['TZOFFSETFROM:+0300', 'TZOFFSETTO:+0300', 'END:STANDARD', 'END:VTIMEZONE'],
  ];
  test.each(['Customized Time Zone', 'Eastern Standard Time', '(UTC+01:00) Berlin\\, Rome'])(
    'is read by its definition in the object: %s',
    (name) => {
      const lines = [`DTSTART;TZID="${name.replace('\\', '')}":20270310T090000`, 'DURATION:PT1H'];
      expect(read(calendar(event(lines), ownRules(name)))).toEqual(from('06:00/2027-03-10T07:00'));
    },
  );

  test.each([
    ['is empty', ['BEGIN:VTIMEZONE', 'TZID:Eastern Standard Time', 'END:VTIMEZONE']],
    [
      'has an invalid rule',
      [
        ...['BEGIN:VTIMEZONE', 'TZID:Eastern Standard Time', 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
        ...[
          'RRULE:FREQ=SOMETIMES',
          'TZOFFSETFROM:+0300',
          'TZOFFSETTO:+0300',
          'END:STANDARD',
          'END:VTIMEZONE',
        ],
      ],
    ],
  ])('is read by its name if its definition %s', (_what, definition) => {
    const lines = ['DTSTART;TZID=Eastern Standard Time:20270310T090000', 'DURATION:PT1H'];
    expect(read(calendar(event(lines), definition))).toEqual(from('14:00/2027-03-10T15:00'));
  });

  test.each([
    ['Our own time', '08:00/2027-03-10T09:00'],
    ['Customized Time Zone', '08:00/2027-03-10T09:00'],
    ['"(UTC+01:00) Atlantis"', '08:00/2027-03-10T09:00'],
    ['"(UTC+09:00) Atlantis"', '00:00/2027-03-10T01:00'],
  ])("is replaced by the staff member's zone and reported if unknown: %s", (name, expected) => {
    expect(nine(name)).toEqual({ busy: [`2027-03-10T${expected}`], problems: ['time_zone_unknown'] });
  });

  test('is not reported if unknown in a past event or one that does not block', () => {
    const unknown = 'DTSTART;TZID=Our own time:20210310T090000';
    for (const more of [['DURATION:PT1H'], ['DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20210601T000000Z']]) {
      expect(readEvent(unknown, ...more)).toEqual({ busy: [], problems: [] });
    }
    const free = ['DTSTART;TZID=Our own time:20270310T090000', 'DURATION:PT1H', 'TRANSP:TRANSPARENT'];
    expect(readEvent(...free)).toEqual({ busy: [], problems: [] });
  });
});

describe('a date or time', () => {
  const wholeDay = { busy: ['2027-03-09T23:00/2027-03-10T23:00'], problems: [] };
  test.each([
    ['only a date', ['DTSTART:20270310'], wholeDay],
    ['a date with the wrong type', ['DTSTART;VALUE=DATE-TIME:20270310'], wholeDay],
    ['a date with an end', ['DTSTART:20270310', 'DTEND:20270311'], wholeDay],
    ['a date with dashes', ['DTSTART;VALUE=DATE:2027-03-10'], wholeDay],
    [
      'a space before the colon',
      ['DTSTART :20270310T080000Z', 'DURATION:PT1H'],
      from('08:00/2027-03-10T09:00'),
    ],
    ['no seconds', ['DTSTART:20270310T0900', 'DURATION:PT1H'], from('08:00/2027-03-10T09:00')],
    ['the extended form', ['DTSTART:2027-03-10T09:00:00', 'DURATION:PT1H'], from('08:00/2027-03-10T09:00')],
    ['a UTC offset', ['DTSTART:20270310T090000+0530', 'DURATION:PT1H'], from('03:30/2027-03-10T04:30')],
    [
      'UTC with a zone',
      ['DTSTART;TZID=Asia/Tokyo:20270310T090000Z', 'DURATION:PT1H'],
      from('09:00/2027-03-10T10:00'),
    ],
    [
      'a zone with a colon, in the extended form',
      ['DTSTART;TZID=GMT+01:00:2027-03-10T09:00', 'DURATION:PT1H'],
      from('08:00/2027-03-10T09:00'),
    ],
    [
      'Exchange Online, the type after the zone',
      ['DTSTART;TZID=W. Europe Standard Time;VALUE=DATE-TIME:20270310T090000', 'DURATION:PT1H'],
      from('08:00/2027-03-10T09:00'),
    ],
  ])('is read: %s', (_what, lines, expected) => {
    expect(readEvent(...lines)).toEqual(expected);
  });

  test('in an EXDATE with both excludes each of them', () => {
    const { busy } = readEvent(
      ...['DTSTART:20270308T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=4'],
      'EXDATE:20270309,20270310T090000Z',
    );
    expect(busy.map((each) => each.slice(8, 10))).toEqual(['08', '11']);
  });
});

describe('a series', () => {
  test.each([
    ['that ended by UNTIL', 'RRULE:FREQ=DAILY;UNTIL=20211231', []],
    ['that ended by COUNT', 'RRULE:FREQ=HOURLY;COUNT=20000', []],
    ['that is a century old', 'RRULE:FREQ=DAILY;INTERVAL=2', ['10', '12']],
    ['whose COUNT ends this week', 'RRULE:FREQ=WEEKLY;COUNT=5219', ['11']],
    ['whose COUNT ended the week before', 'RRULE:FREQ=WEEKLY;COUNT=5218', []],
  ])('%s', (_what, rule, days) => {
    const start = rule.includes('WEEKLY')
      ? 'DTSTART;TZID=Europe/Berlin:19270310T090000'
      : 'DTSTART;TZID=Europe/Berlin:19270311T090000';
    const span = { start: at('2027-03-10T00:00Z'), end: at('2027-03-13T00:00Z') };
    const { busy, problems } = read(calendar(event([start, 'DURATION:PT1H', rule])), span);
    expect(problems).toEqual([]);
    expect(busy.map((each) => each.slice(8, 10))).toEqual(days);
  });
});

describe('an unreadable part is reported and blocks no other days:', () => {
  const ten = ['DTSTART:20270310T100000Z', 'DTEND:20270310T110000Z'];
  const tenBusy = ['2027-03-10T10:00/2027-03-10T11:00'];
  const unreadable = ['event_unreadable'];
  const upTo = (end: number) => Array.from({ length: end }, (_, index) => index).join(',');
  const everySecond = `BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${upTo(24)};BYMINUTE=${upTo(60)};BYSECOND=${upTo(60)}`;
  test.each([
    ['no start', ['SUMMARY:x'], []],
    ['an invalid start', ['DTSTART:soon', 'DURATION:PT1H'], []],
    ['a rule that repeats too often', [...ten, 'RRULE:FREQ=SECONDLY;INTERVAL=7'], tenBusy],
    ['a rule for every second of every year', [...ten, `RRULE:FREQ=YEARLY;${everySecond}`], tenBusy],
    ['a rule for every second of every day', [...ten, `RRULE:FREQ=DAILY;${everySecond}`], tenBusy],
    ['a hundred rules', [...ten, ...Array(100).fill('RRULE:FREQ=DAILY;COUNT=1')], tenBusy],
    ['an invalid rule', [...ten, 'RRULE:FREQ=NOW;BYDAY=XX'], tenBusy],
    ['a rule with an invalid end', [...ten, 'RRULE:FREQ=DAILY;UNTIL=2027'], tenBusy],
    [
      'an invalid RDATE',
      [...ten, 'RDATE:20270311T100000Z', 'RDATE:later'],
      [...tenBusy, '2027-03-11T10:00/2027-03-11T11:00'],
    ],
    ['an invalid EXDATE', [...ten, 'EXDATE:sometime'], tenBusy],
    ['an invalid end', ['DTSTART:20270310T100000Z', 'DTEND:late'], ['2027-03-10T10:00/2027-03-11T00:00']],
    [
      'an invalid duration',
      ['DTSTART:20270310T100000Z', 'DURATION:1h'],
      ['2027-03-10T10:00/2027-03-11T00:00'],
    ],
    ['an invalid RECURRENCE-ID', [...ten, 'RECURRENCE-ID:then'], tenBusy],
  ])('%s', (_what, lines, busy) => {
    expect(readEvent(...lines)).toEqual({ busy, problems: unreadable });
  });

  test('a text that is not an iCalendar object', () => {
    for (const text of [
      '<html></html>',
      '',
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT\r\n',
      'BEGIN:VALARM\r\nEND:VALARM',
    ]) {
      expect([text, read(text).problems]).toEqual([text, unreadable]);
    }
  });

  test('except lines that do not affect the times', () => {
    const text = calendar(event([...ten, 'DESCRIPTION:first', 'second line, not folded', '=0D=0A']));
    expect(read(text)).toEqual({ busy: tenBusy, problems: [] });
  });

  test('one exception of a series', () => {
    const text = calendar([
      ...event(['DTSTART:20270308T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3']),
      ...event(['RECURRENCE-ID:20270309T090000Z', 'DTSTART:unknown', 'DURATION:PT1H']),
      ...event(['RECURRENCE-ID:20270310T090000Z', 'DTSTART:20270310T150000Z', 'DURATION:PT1H']),
    ]);
    const { busy, problems } = read(text);
    // an exception with an unknown new time keeps the old one, unless it is cancelled
    expect(busy.map((each) => each.slice(8, 13))).toEqual(['08T09', '09T09', '10T15']);
    expect(problems).toEqual(unreadable);
    const cancelled = text.replace('DTSTART:unknown', 'DTSTART:unknown\r\nSTATUS:CANCELLED');
    expect(read(cancelled)).toEqual({ busy: busy.filter((each) => !each.includes('-09T')), problems: [] });
  });

  test('many invalid values, in linear time', () => {
    const text = calendar(
      event([...ten, `EXDATE:${'20270311T1000,'.repeat(20_000)}x`, `RDATE:${', '.repeat(20_000)}`]),
    );
    const begun = process.cpuUsage();
    expect(read(text, { start: march.start, end: march.start + 31 * day }).busy).toEqual(tenBusy);
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(5_000);
  });
});
