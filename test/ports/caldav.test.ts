// The calendar port's suites on the CalDAV servers that are installed here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CaldavKind, debianPackages, isInstalled } from '../harness/caldav-server.ts';
import { busyTimesSuite } from './busy-times.suite.ts';
import { type CaldavProvider, object, openCaldav } from './caldav-provider.ts';
import { calendarSuite } from './calendar.suite.ts';
import { at, bookingEvent, day, eleven, halfPast, limits, noon, ten } from './calendar-under-test.ts';

const kinds = ['radicale', 'xandikos', 'sabre'] as const;
const installed = (await Promise.all(kinds.map(isInstalled))).flatMap((is, at) => (is ? [kinds[at]] : []));

for (const kind of kinds) {
  if (installed.includes(kind)) {
    calendarSuite(kind, () => openCaldav(kind));
    busyTimesSuite(kind, () => openCaldav(kind));
    describe(`calendar port: ${kind}: odd texts`, () => oddTexts(kind));
  } else {
    console.warn(
      `CalDAV is NOT tested against ${kind}: it is not installed (apt-get install ${debianPackages[kind]}).`,
    );
    test(`NOT TESTED against ${kind}, which is not installed here`, () =>
      expect(installed).not.toContain(kind));
  }
}

function oddTexts(kind: CaldavKind): void {
  let provider: CaldavProvider;
  beforeAll(async () => {
    provider = await openCaldav(kind);
  });
  afterAll(() => provider.close());

  // Word ends lines with U+000B
  test.each(['\u0007', '\u000b', '\u001c', '\ufffe'])(
    'an event with the character %j hides no other',
    async (odd) => {
      const { credential, calendarId } = await provider.connect();
      const { calendar } = provider;
      const lines = ['UID:odd', 'DTSTART:20260610T110000Z', 'DTEND:20260610T120000Z', `SUMMARY:a${odd}b`];
      await provider.putExternally(calendarId, 'odd', object(lines));
      const event = await calendar.insertEvent(credential, bookingEvent(calendar, calendarId), limits);
      expect(await calendar.busyTimes(credential, { calendarIds: [calendarId], ...day }, limits)).toEqual([
        { start: ten, end: halfPast },
        { start: eleven, end: noon },
      ]);
      const query = { calendarId, cursor: null, since: at('2026-06-10T00:00:00Z') };
      const { events } = await calendar.changedEvents(credential, query, limits);
      expect(events.map(({ eventId }) => eventId)).toEqual([event.eventId]);
    },
  );
}
