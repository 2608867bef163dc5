// The calendar port's suites on the CalDAV servers that are installed here.
import { expect, test } from 'vitest';
import { debianPackages, isInstalled } from '../harness/caldav-server.ts';
import { busyTimesSuite } from './busy-times.suite.ts';
import { openCaldav } from './caldav-provider.ts';
import { calendarSuite } from './calendar.suite.ts';

const kinds = ['radicale', 'xandikos', 'sabre'] as const;
const installed = (await Promise.all(kinds.map(isInstalled))).flatMap((is, at) => (is ? [kinds[at]] : []));

for (const kind of kinds) {
  if (installed.includes(kind)) {
    calendarSuite(kind, () => openCaldav(kind));
    busyTimesSuite(kind, () => openCaldav(kind));
  } else {
    console.warn(
      `CalDAV is NOT tested against ${kind}: it is not installed (apt-get install ${debianPackages[kind]}).`,
    );
    test(`NOT TESTED against ${kind}, which is not installed here`, () =>
      expect(installed).not.toContain(kind));
  }
}
