// Busy times of a calendar object: forms of time, events that do not block, series and their exceptions.
import { describe, expect, test } from 'vitest';
import type { Owner } from '../../src/adapters/caldav/expansion.ts';
import { namedZone, utc } from '../../src/adapters/caldav/zones.ts';
import { readBusyObject } from '../harness/busy-object.ts';

const owner: Owner = {
  calendarZone: namedZone('Pacific/Auckland') ?? utc,
  staffZone: 'Pacific/Auckland',
  addresses: ['ada@clinic.example'],
};
const at = (text: string) => Date.parse(text);
const june = { start: at('2026-06-01T00:00:00Z'), end: at('2026-07-01T00:00:00Z') };

function object(events: string[][], more: string[] = []): string {
  const lines = events.flatMap((event) => ['BEGIN:VEVENT', 'UID:one', ...event, 'END:VEVENT']);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...more, ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

/** The busy times as `from/to`, in order. */
function busy(events: string[][], span = june, more: string[] = []): string[] {
  return readBusyObject(object(events, more), span, owner)
    .busy.toSorted((a, b) => a.start - b.start)
    .map(({ start, end }) => [start, end].map((each) => new Date(each).toISOString().slice(0, 16)).join('/'));
}

const ten = ['DTSTART:20260610T100000Z', 'DTEND:20260610T110000Z'];
const tenBusy = ['2026-06-10T10:00/2026-06-10T11:00'];
const weekly = ['DTSTART:20260603T100000Z', 'DTEND:20260603T110000Z', 'RRULE:FREQ=WEEKLY'];
const wednesdays = ['03', '10', '17', '24'].map((day) => `2026-06-${day}T10:00/2026-06-${day}T11:00`);

describe('an event blocks', () => {
  test.each([
    ['from start to end', [ten], tenBusy],
    ['for its duration', [['DTSTART:20260610T100000Z', 'DURATION:PT1H']], tenBusy],
    [
      'for several days',
      [['DTSTART:20260530T100000Z', 'DURATION:P3DT1H']],
      ['2026-05-30T10:00/2026-06-02T11:00'],
    ],
    ['no time without an end', [['DTSTART:20260610T100000Z']], []],
    ['no time if it ends before it starts', [['DTSTART:20260610T100000Z', 'DTEND:20260610T090000Z']], []],
    ['in a named zone', [['DTSTART;TZID=Asia/Kolkata:20260610T153000', 'DURATION:PT1H']], tenBusy],
    [
      'in a zone with a prefix',
      [['DTSTART;TZID=/mozilla.org/20050126_1/Asia/Kolkata:20260610T153000', 'DURATION:PT1H']],
      tenBusy,
    ],
    [
      "in the calendar's zone if its time is floating",
      [['DTSTART:20260610T220000', 'DURATION:PT1H']],
      tenBusy,
    ],
    [
      "a whole day in the calendar's zone",
      [['DTSTART;VALUE=DATE:20260610']],
      ['2026-06-09T12:00/2026-06-10T12:00'],
    ],
    [
      'whole days, excluding the end date',
      [['DTSTART;VALUE=DATE:20260610', 'DTEND;VALUE=DATE:20260613']],
      ['2026-06-09T12:00/2026-06-12T12:00'],
    ],
    ['when tentative', [[...ten, 'STATUS:TENTATIVE']], tenBusy],
    ['when opaque', [[...ten, 'TRANSP:OPAQUE']], tenBusy],
    ['when out of office', [[...ten, 'X-MICROSOFT-CDO-BUSYSTATUS:OOF']], tenBusy],
    [
      "by its owner's busy status, not the organizer's intended one",
      [[...ten, 'X-MICROSOFT-CDO-BUSYSTATUS:BUSY', 'X-MICROSOFT-CDO-INTENDEDSTATUS:FREE']],
      tenBusy,
    ],
    ['when another guest declined', [[...ten, 'ATTENDEE;PARTSTAT=DECLINED:mailto:bob@x.example']], tenBusy],
    ['not when transparent', [[...ten, 'TRANSP:TRANSPARENT']], []],
    ['not when cancelled', [[...ten, 'STATUS:CANCELLED']], []],
    ['not when intended as free', [[...ten, 'X-MICROSOFT-CDO-INTENDEDSTATUS:FREE']], []],
    ['not when shown as free', [[...ten, 'X-MICROSOFT-CDO-BUSYSTATUS:free']], []],
    [
      'not when its owner declined, whom the server names by a principal',
      [[...ten, 'ATTENDEE;CN="Ada, O";EMAIL="Ada@clinic.example";PARTSTAT=DECLINED:/aMTg2ODQ/principal/']],
      [],
    ],
    [
      'when its owner, whom the server names by a principal, accepted and another guest declined',
      [
        [
          ...[...ten, 'ATTENDEE;EMAIL=ada@clinic.example;PARTSTAT=ACCEPTED:/aMTg2ODQ/principal/'],
          'ATTENDEE;EMAIL=bob@x.example;PARTSTAT=DECLINED:/bMTg2ODQ/principal/',
        ],
      ],
      tenBusy,
    ],
    ['not when its owner declined', [[...ten, 'ATTENDEE;PARTSTAT=DECLINED:MAILTO:Ada@Clinic.example']], []],
  ])('%s', (_what, events, expected) => {
    expect(busy(events)).toEqual(expected);
  });

  test('in a zone that only the object defines', () => {
    const zone = [
      ...['BEGIN:VTIMEZONE', 'TZID:Our own time', 'BEGIN:STANDARD', 'DTSTART:16010101T030000'],
      ...[
        'TZOFFSETFROM:+0200',
        'TZOFFSETTO:+0100',
        'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
        'END:STANDARD',
      ],
      ...['BEGIN:DAYLIGHT', 'DTSTART:16010101T020000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200'],
      ...['RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3', 'END:DAYLIGHT', 'END:VTIMEZONE'],
    ];
    const event = ['DTSTART;TZID=Our own time:20260324T120000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY'];
    const span = { start: at('2026-03-23T00:00:00Z'), end: at('2026-04-06T00:00:00Z') };
    expect(busy([event], span, zone)).toEqual([
      '2026-03-24T11:00/2026-03-24T12:00',
      '2026-03-31T10:00/2026-03-31T11:00',
    ]);
  });
});

describe('a series', () => {
  test.each([
    ['without an end', [weekly], wednesdays],
    ['ends after COUNT', [[...weekly.slice(0, 2), 'RRULE:FREQ=WEEKLY;COUNT=2']], wednesdays.slice(0, 2)],
    [
      'ends at UNTIL, inclusive',
      [[...weekly.slice(0, 2), 'RRULE:FREQ=WEEKLY;UNTIL=20260617T100000Z']],
      wednesdays.slice(0, 3),
    ],
    [
      'ends with the date in UNTIL',
      [[...weekly.slice(0, 2), 'RRULE:FREQ=WEEKLY;UNTIL=20260617']],
      wednesdays.slice(0, 3),
    ],
    [
      'omits the times of EXDATE',
      [[...weekly, 'EXDATE:20260610T100000Z,20260617T100000Z']],
      [wednesdays[0], wednesdays[3]],
    ],
    [
      'omits the times of EXDATE in another zone',
      [[...weekly, 'EXDATE;TZID=Asia/Kolkata:20260610T153000']],
      [wednesdays[0], ...wednesdays.slice(2)],
    ],
    [
      'omits a date of EXDATE',
      [[...weekly, 'EXDATE;VALUE=DATE:20260610']],
      [wednesdays[0], ...wednesdays.slice(2)],
    ],
    [
      'contains the times and periods of RDATE',
      [
        [
          ...ten,
          'RDATE:20260612T100000Z',
          'RDATE;VALUE=PERIOD:20260613T100000Z/PT3H,20260614T100000Z/20260614T103000Z',
        ],
      ],
      [
        ...tenBusy,
        '2026-06-12T10:00/2026-06-12T11:00',
        '2026-06-13T10:00/2026-06-13T13:00',
        '2026-06-14T10:00/2026-06-14T10:30',
      ],
    ],
    [
      'blocks the new time of a moved occurrence instead of the old one',
      [weekly, ['RECURRENCE-ID:20260610T100000Z', 'DTSTART:20260611T080000Z', 'DURATION:PT30M']],
      [wednesdays[0], '2026-06-11T08:00/2026-06-11T08:30', ...wednesdays.slice(2)],
    ],
    [
      'contains an occurrence that was moved here from another year',
      [
        ['DTSTART:20250101T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;COUNT=3'],
        ['RECURRENCE-ID:20260101T100000Z', 'DTSTART:20260610T100000Z', 'DURATION:PT1H'],
      ],
      tenBusy,
    ],
    [
      'omits single cancelled and transparent occurrences',
      [
        weekly,
        ['RECURRENCE-ID:20260610T100000Z', ...ten, 'STATUS:CANCELLED'],
        ['RECURRENCE-ID:20260617T100000Z', 'DTSTART:20260617T100000Z', 'DURATION:PT1H', 'TRANSP:TRANSPARENT'],
      ],
      [wednesdays[0], wednesdays[3]],
    ],
    [
      'contains a single opaque occurrence of a transparent series',
      [
        [...weekly, 'TRANSP:TRANSPARENT'],
        ['RECURRENCE-ID:20260610T100000Z', ...ten],
      ],
      tenBusy,
    ],
    [
      'is moved by an exception with THISANDFUTURE',
      [
        weekly,
        ['RECURRENCE-ID;RANGE=THISANDFUTURE:20260617T100000Z', 'DTSTART:20260617T120000Z', 'DURATION:PT2H'],
      ],
      [...wednesdays.slice(0, 2), '2026-06-17T12:00/2026-06-17T14:00', '2026-06-24T12:00/2026-06-24T14:00'],
    ],
    ['of which the object has only one exception', [['RECURRENCE-ID:20260610T100000Z', ...ten]], tenBusy],
    [
      'of several whole days contains occurrences that began before',
      [['DTSTART;VALUE=DATE:20260120', 'DTEND;VALUE=DATE:20260204', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=20']],
      ['2026-05-19T12:00/2026-06-03T12:00', '2026-06-19T12:00/2026-07-04T12:00'],
    ],
    [
      'on the 31st omits shorter months',
      [['DTSTART:20260131T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=31,30']],
      ['2026-06-30T10:00/2026-06-30T11:00'],
    ],
  ])('%s', (_what, events, expected) => {
    expect(busy(events)).toEqual(expected);
  });

  test('moves a time that a clock change skips', () => {
    const event = [
      'DTSTART;TZID=America/New_York:20260307T023000',
      'DURATION:PT30M',
      'RRULE:FREQ=DAILY;COUNT=3',
    ];
    const span = { start: at('2026-03-08T00:00:00Z'), end: at('2026-03-10T00:00:00Z') };
    expect(busy([event], span)).toEqual([
      '2026-03-08T07:30/2026-03-08T08:00',
      '2026-03-09T06:30/2026-03-09T07:00',
    ]);
  });

  test('of every hour contains a repeated hour twice', () => {
    const event = [
      'DTSTART;TZID=America/New_York:20261101T000000',
      'DURATION:PT1H',
      'RRULE:FREQ=HOURLY;COUNT=4',
    ];
    const span = { start: at('2026-11-01T00:00:00Z'), end: at('2026-11-02T00:00:00Z') };
    const starts = busy([event], span).map((each) => each.slice(11, 16));
    expect(starts).toEqual(['04:00', '05:00', '06:00', '07:00', '08:00']);
  });

  test('ends at the later of two possible ends in a night with a clock change', () => {
    const nights = [
      'DTSTART;TZID=Europe/Berlin:20260301T220000',
      'DTEND;TZID=Europe/Berlin:20260302T060000',
      'RRULE:FREQ=DAILY',
    ];
    const night = (day: string) => {
      const span = { start: at(`${day}T12:00:00Z`), end: at(`${day}T12:00:00Z`) + 86_400_000 };
      return busy([nights], span);
    };
    expect(night('2026-03-28')).toEqual(['2026-03-28T21:00/2026-03-29T05:00']);
    expect(night('2026-10-24')).toEqual(['2026-10-24T20:00/2026-10-25T05:00']);
  });
});
