// Searches of CalDAV servers by time: what they miss, and that it is busy all the same.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CaldavKind, isInstalled } from '../harness/caldav-server.ts';
import { type CaldavOutside, object, openCaldav } from './caldav-outside.ts';
import { eleven, limits, ten } from './calendar-under-test.ts';

for (const kind of ['radicale', 'xandikos', 'sabre'] as const) {
  if (await isInstalled(kind)) describe(`searches of ${kind}`, () => searches(kind));
  else test(`searches NOT TESTED with ${kind}, which is not installed here`, () => expect(kind).toBeTruthy());
}

function searches(kind: CaldavKind): void {
  let outside: CaldavOutside;
  beforeAll(async () => {
    outside = await openCaldav(kind);
  });
  afterAll(() => outside.close());

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
  ])('miss %s, or not: it is busy', async (_what, events) => {
    const { credential, calendarId } = await outside.connect();
    const uid = randomUUID();
    await outside.putByHand(calendarId, uid, object(...events.map((event) => [`UID:${uid}`, ...event])));
    const span = { from: ten, to: eleven };
    const busy = await outside.calendar.busyTimes(credential, { calendarIds: [calendarId], ...span }, limits);
    expect(busy).toEqual([{ start: ten, end: eleven }]);
  });

  test('are proven when the calendar is connected, which leaves nothing behind', async () => {
    const { credential, calendarId } = await outside.connect();
    expect(JSON.parse(credential)).toMatchObject({ reads: 'with_series' });
    expect(await outside.liveEventIds(calendarId)).toEqual([]);
  });
}
