// The age of the time zone data: the doctor's findings, and zones that the data lack.
import { expect, test } from 'vitest';
import { firstKnownZone } from '../../src/adapters/google/event-json.ts';
import { timeZoneFinding, timeZoneVersions } from '../../src/operator/time-zone-data.ts';

const now = Date.parse('2027-02-01T00:00:00Z');
const finding = (tz: string | undefined, machine?: string) =>
  timeZoneFinding({ tz, icu: '78.3', machine }, now);

test.each([
  ['of this year', '2027a', undefined, 'IANA 2027a (ICU 78.3)'],
  ['of last year', '2026c', undefined, 'IANA 2026c (ICU 78.3)'],
  ['as new as the machine', '2026c', '2026c', 'IANA 2026c (ICU 78.3)'],
  ['newer than the machine', '2026c', '2025b', 'IANA 2026c (ICU 78.3)'],
  [
    'older than the machine',
    '2026c',
    '2027a',
    '!IANA 2026c (ICU 78.3); this machine has IANA 2027a, which is newer',
  ],
  ['of the year before last', '2025c', undefined, '!IANA 2025c (ICU 78.3) is old'],
  ['that cannot be loaded', '', undefined, '!no time zone data could be loaded'],
  ['that is unknown', undefined, '2026c', '!no time zone data could be loaded'],
])('a release %s', (_what, tz, machine, expected) => {
  const found = finding(tz, machine);
  const isFine = !expected.startsWith('!');
  expect(found.text.startsWith(isFine ? expected : expected.slice(1))).toBe(true);
  expect(found.status === 'ok').toBe(isFine);
  expect(found.fix?.includes('docs/operations.md') ?? false).toBe(!isFine);
});

test('timeZoneVersions returns the release that Temporal uses', async () => {
  const { tz, icu } = await timeZoneVersions();
  expect([tz, icu]).toEqual([process.versions.tz, process.versions.icu]);
  expect(tz).toMatch(/^\d{4}[a-z]$/);
});

test("a Google calendar's zone that the data lack is replaced by the staff member's", () => {
  expect(firstKnownZone(['Europe/Berlin', 'Asia/Kolkata'])).toBe('Europe/Berlin');
  expect(firstKnownZone(['Europe/Founded_Tomorrow', 'Asia/Kolkata'])).toBe('Asia/Kolkata');
  expect(firstKnownZone([undefined, undefined])).toBe('UTC');
});
