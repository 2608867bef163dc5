// Events with uncertain times on the CalDAV servers that are installed here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../harness/caldav-server.ts';
import { type CaldavProvider, openCaldav } from './caldav-provider.ts';
import { uncertainTimesSuite } from './caldav-uncertain-times.suite.ts';

for (const kind of ['xandikos', 'sabre'] as const) {
  if (await isInstalled(kind)) {
    describe(kind, () => {
      let provider: CaldavProvider;
      beforeAll(async () => {
        provider = await openCaldav(kind);
      });
      afterAll(() => provider.close());
      uncertainTimesSuite(kind, () => provider);
    });
  } else
    test(`NOT TESTED against ${kind}, which is not installed here`, () => expect(kind).toBeTypeOf('string'));
}
