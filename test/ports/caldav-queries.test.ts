// Time-range queries on CalDAV servers, which miss some events: busy times must contain them anyway.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CaldavKind, isInstalled } from '../harness/caldav-server.ts';
import { type CaldavProvider, object, openCaldav } from './caldav-provider.ts';
import { eleven, limits, ten } from './calendar-under-test.ts';

for (const kind of ['radicale', 'xandikos', 'sabre'] as const) {
  if (await isInstalled(kind)) describe(`busy times of ${kind}`, () => busyTimes(kind));
  else
    test(`busy times NOT TESTED with ${kind}, which is not installed here`, () => expect(kind).toBeTruthy());
}

function busyTimes(kind: CaldavKind): void {
  let provider: CaldavProvider;
  beforeAll(async () => {
    provider = await openCaldav(kind);
  });
  afterAll(() => provider.close());

  test.each([
    ['a series that began long ago', [['DTSTART:20150101T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY']]],
    ['a date added to an event', [['DTSTART:20250101T100000Z', 'DURATION:PT1H', 'RDATE:20260610T100000Z']]],
    [
      'an occurrence moved here from another year',
      [
        ['DTSTART:20250101T100000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;COUNT=3'],
        ['RECURRENCE-ID:20260101T100000Z', 'DTSTART:20260610T100000Z', 'DURATION:PT1H'],
      ],
    ],
    ['an event of many days', [['DTSTART:20260601T110000Z', 'DURATION:P20D']]],
  ])('find %s, also if the server misses it by time range', async (_what, events) => {
    const { credential, calendarId } = await provider.connect();
    const uid = randomUUID();
    await provider.putExternally(calendarId, uid, object(...events.map((event) => [`UID:${uid}`, ...event])));
    const span = { from: ten, to: eleven };
    const busy = await provider.calendar.busyTimes(
      credential,
      { calendarIds: [calendarId], ...span },
      limits,
    );
    expect(busy).toEqual([{ start: ten, end: eleven }]);
  });

  test('are tested when the calendar is connected, without leaving test events', async () => {
    const { credential, calendarId } = await provider.connect();
    expect(JSON.parse(credential)).toMatchObject({ reads: 'with_series' });
    expect(await provider.liveEventIds(calendarId)).toEqual([]);
  });
}
