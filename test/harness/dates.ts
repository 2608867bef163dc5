// Dates for tests, which run on any day and at any time of day.
import { until } from './until.ts';

export const everyDay = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const dayMs = 86_400_000;

/** The start of this day in UTC (ISO 8601). */
export const today = (): string => `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;

/** Resolves when at least half a minute of this day in UTC is left. */
export const dayLasts = (): Promise<void> =>
  until(() => {
    if (Date.now() % dayMs > dayMs - 29_000) throw new Error('The day is about to end');
  });

/** The next clock change that skips 02:00 to 03:00: more than two days and less than seven months ahead in one of these zones. */
export function nextGap(): { timezone: string; day: string } {
  const gaps = ['Europe/Berlin', 'Australia/Sydney'].flatMap((zone) => {
    const change = Temporal.Now.zonedDateTimeISO(zone).add({ days: 2 }).getTimeZoneTransition('next');
    const later = change?.add({ days: 1 }).getTimeZoneTransition('next');
    return [change, later].filter(
      (one) => one && one.offsetNanoseconds > one.subtract({ hours: 1 }).offsetNanoseconds,
    );
  });
  const [gap] = gaps.toSorted(
    (one, other) => (one?.epochMilliseconds ?? 0) - (other?.epochMilliseconds ?? 0),
  );
  if (!gap) throw new Error('There is no such clock change');
  return { timezone: gap.timeZoneId, day: gap.toPlainDate().toString() };
}

/** A Monday about two weeks ahead, as `YYYY-MM-DD`; clocks usually change on Sundays. */
export function comingMonday(weeks = 2): string {
  const today = Temporal.Now.plainDateISO('UTC');
  return today.add({ days: 8 - today.dayOfWeek + 7 * (weeks - 1) }).toString();
}
