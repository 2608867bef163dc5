// Events that are hard to read, on every CalDAV server that is installed here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../harness/caldav-server.ts';
import { doubtfulEvents } from './caldav-doubtful.suite.ts';
import { type CaldavOutside, openCaldav } from './caldav-outside.ts';

for (const kind of ['xandikos', 'sabre'] as const) {
  if (await isInstalled(kind)) {
    describe(kind, () => {
      let outside: CaldavOutside;
      beforeAll(async () => {
        outside = await openCaldav(kind);
      });
      afterAll(() => outside.close());
      doubtfulEvents(kind, () => outside);
    });
  } else
    test(`NOT TESTED against ${kind}, which is not installed here`, () => expect(kind).toBeTypeOf('string'));
}
